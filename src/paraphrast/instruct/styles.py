"""The styles of prompted models, and their descriptions in the prompt."""

# The large pack's adapter was taught with these words: others ask for its training.
WORDS = {
    "plain": "plain modern English",
    "formal": "formal English",
    "informal": "an informal message to a friend",
    "polite": "a polite, tactful message",
    "simple": "simple English",
    "concise": "as few words as possible",
    "shakespeare": "the English of Shakespeare",
    "bible": "the English of the King James Bible",
    "poetry": "verse of about 1800",
    "prose-1810": "a novel of 1810",
    "prose-1890": "a novel of 1890",
    "joyce": "interior monologue by James Joyce",
    "tweet": "a tweet",
    "conversation": "transcribed speech",
}
INSTRUCTION = "Rewrite as {}. Say exactly the same.\n"
