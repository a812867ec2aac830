"""Each repair of the neural rewriter, and what it leaves alone."""

import pytest

from paraphrast.neural.candidates.repairs import REPAIRS, repair

PLAIN = "You are not a good man."
BY_NAME = {entry.name: entry for entry in REPAIRS}


def apply(name, source, text):
    return BY_NAME[name].apply(source, text)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("I say thou ist not a good man.", "I say thou art not a good man."),
        ("Thou hath erred.", "Thou hast erred."),
        ("THOU HATH erred.", "THOU HAST erred."),
        ("Hath thou seen it?", "Hast thou seen it?"),
        ("Have thou ever gone back?", "Hast thou ever gone back?"),
        ("Have thou a care.", "Have thou a care."),
        ("Do thou go.", "Do thou go."),
        ("See thou do it not.", "See thou do it not."),
        ("If thou have it, go.", "If thou have it, go."),
        ("Why didst thou do it? Wilt thou have it?",) * 2,
        ("I would thou hadst my bones.",) * 2,
        ("Where will thou go?", "Where wilt thou go?"),
        ("We hath seen it.", "We have seen it."),
        ("He hast seen it.", "He hath seen it."),
        ("You art late.", "You are late."),
        ("He that loveth you hath seen it.", "He that loveth you hath seen it."),
        ("Thou canst go.", "Thou canst go."),
        ("Last night hath we gone.", "Last night have we gone."),
        ("Doth they know it? Dost he?", "Do they know it? Doth he?"),
        ("What he hath we know not.", "What he hath we know not."),
        ("Len changeeth; he agreeth and seeth.", "Len changeth; he agreeth and seeth."),
        ("What decide'st thou?", "What decidest thou?"),
        ("The art of war.", "The art of war."),
    ],
)
def test_old_verbs_agree(written, wanted):
    assert repair(PLAIN, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("Are you there?", "Art thou there,", "Art thou there?"),
        ("Are you there?", "Are you there...", "Are you there?"),
        ("Are you there?", "I ask if you are there.", "I ask if you are there."),
        ("He left.", "So he departed;", "So he departed;"),
        ("He left!", "So he departed:", "So he departed!"),
        ("He left.", "He left...", "He left..."),
        ("And when he left,", "When he departed;", "When he departed;"),
        ("He said, 'Go!'", "He said, 'Leave,'", "He said, 'Leave!'"),
    ],
)
def test_questions_and_cries_end_as_such(source, written, wanted):
    assert repair(source, written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ('"It is so."', "It is so."),
        ('"And when you go there.', "And when you go there."),
        ("'It is in the schools.'", "It is in the schools."),
        ("'It is not so, gentle beast.", "It is not so, gentle beast."),
        ("'Tis so.", "'Tis so."),
        ("'Go,' said Romeo, 'or stay.'", "'Go,' said Romeo, 'or stay.'"),
        ('He said, "go" and "come".', 'He said, "go" and "come".'),
        ("'The lords' house is far.'", "'The lords' house is far.'"),
    ],
)
def test_quotes_that_nobody_had_are_taken_out(written, wanted):
    assert repair(PLAIN, written) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("My brother is away.", "My brother is away #brother"),
        ("He is up.", "My brother is away"),
        ("Is #tbc away?", "My brother is away #tbc"),
    ],
)
def test_a_tag_is_of_the_words_of_its_source(source, wanted):
    assert repair(source, "My brother is away #tbc") == wanted


def test_a_word_in_quotes_is_no_reason_to_quote_the_sentence():
    source = "They export the 'problem' to him."
    assert repair(source, '"He exports the problem."') == "He exports the problem."
    assert repair(source, "He exports 'the problem'.") == "He exports 'the problem'."


def test_what_the_source_has_stays():
    for text in (
        "'It is so.'",
        'He said "yes',
        "thou is a apple",
        "o ' clock",
        "tis so",
    ):
        assert repair(text, text) == text
    assert repair("It is #so", "It was #So") == "It was #So"


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("We can't go.", "We can not go.", "We cannot go."),
        (
            "He can both sing and dance.",
            "He can not only sing.",
            "He can not only sing.",
        ),
        ("It was in the box.", "It was in the the box.", "It was in the box."),
        (
            "I know that that is so.",
            "I know that that is so.",
            "I know that that is so.",
        ),
    ],
)
def test_small_slips_are_repair(source, written, wanted):
    assert repair(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("They went everywhere in the old carriage.", " #carriage"),
        ("The pale light was on the snow, lying all around.", " #light"),
        ("He is going to tell me his name.", " #name"),
        ("The sun goes down on her bright garden.", " #garden"),
        ("If our old uniforms fit, we go.", " #uniforms"),
        ("I cannot come to the party tonight.", " #party"),
        ("They are going somewhere.", ""),
        ("Please thank everybody for attention.", " #attention"),
        ("Quickly we answered everybody.", ""),
        ("We have just bought Mercedes.", " #mercedes"),
    ],
)
def test_a_made_up_tag_gives_way_to_a_noun_or_to_none(source, wanted):
    assert repair(source, "Yes indeed #tbt") == f"Yes indeed{wanted}"


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("It is very clear.", "'Tis very clear.'", "'Tis very clear."),
        ('"Do," said she.', "'Tis so,' said she.", '"\'Tis so," said she.'),
        ('"Go," he said.', "Go hence, he said.", '"Go hence," he said.'),
        ('"Go," he said.', "Go hence! quoth he.", '"Go hence!" quoth he.'),
        ('"Go," said Tom.', "Go hence, Tom said.", '"Go hence," Tom said.'),
        ('He said: "Go."', "He hath said: Go.", 'He hath said: "Go."'),
        ('He said, "Go."', "And he said unto him, Go.", 'And he said unto him, "Go."'),
        ('"Who?" asked a man.', "'Who?' asked a man.", '"Who?" asked a man.'),
        ('A "go" or "no"?', "A 'go' or a 'no'?", 'A "go" or a "no"?'),
        ('It is "so".', "It is so.", "It is so."),
        ('"Go," he said, "now."', "Go, he said, now.", "Go, he said, now."),
        ("He laughed.", "He laughed; 'It is so.", "He laughed; It is so."),
        ("'Go,' he said.", "'Go hence,' he said.", "'Go hence,' he said."),
        ("Plays of 'weight'.", "Plays of 'weight.'", "Plays of 'weight.'"),
        ("The lords' men.", "The lords' men.", "The lords' men."),
        ("Can he deny it?", "Can he deny 't?", "Can he deny 't?"),
        ("We go beyond it.", "We go 'yond it.", "We go 'yond it."),
        ('"Go," he said, "now."', '"Go," he said, now."', '"Go," he said, now.'),
        ('"Go on.', '"Go hence.', '"Go hence.'),
    ],
)
def test_quotation_marks_come_in_pairs(source, written, wanted):
    assert repair(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("My weekend in Boston", "My weekend at Boston.", "My weekend at Boston"),
        ("My weekend in Boston", "My weekend at Boston!", "My weekend at Boston!"),
        ("my weekend in boston", "My weekend at Boston.", "My weekend at Boston."),
        ("I went.", "I did go.", "I did go."),
    ],
)
def test_a_title_gets_no_stop(source, written, wanted):
    assert repair(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("Then lead the way.", "Then lead 'tis the way.", "Then lead the way."),
        ("My name is Mary.", "My name 'tis Mary.", "My name is Mary."),
        ("We're part of it.", "We 'tis part of it.", "We are part of it."),
        ("So let her kill me.", "So let her kill me 'tis.", "So let her kill me."),
        ("I swear I am.", "I swear 'tis I am.", "I swear I am."),
        ("It's poetic.", "It 'tis poetic.", "It is poetic."),
        ("There's no sun.", "There 'tis no sun.", "There is no sun."),
        ("I'll do my best.", "I'll do 't my best.", "I'll do my best."),
        ("Where's my son?", "Where 'tis my son?", "Where is my son?"),
        ("You're late.", "Thou 'tis late.", "Thou art late."),
        ("It's late.", "'Tis late.", "'Tis late."),
        ("I say it's late.", "I say 'tis late.", "I say 'tis late."),
        ("Do it.", "Do 't.", "Do 't."),
    ],
)
def test_it_is_taken_out_where_nothing_is_meant(source, written, wanted):
    assert apply("it", source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("We must not.", "'We must not,' answered the noble man.", "We must not."),
        ("Will you go?", '"Will you go?" he said.', "Will you go?"),
        ("I feel it.", "'It is so,' said I; 'he is it.'", "It is so; he is it."),
        ("It is so.", "'I mean,' said she, 'It is so.'", "I mean, it is so."),
        ("It is so.", "'Go,' said she. 'It is so.'", "Go. It is so."),
        ("He said it was.", "'It was,' said he.", "'It was,' said he."),
        ('"It is," I heard.', "'It was,' said he.", "'It was,' said he."),
        ("It is so.", "'It is,' said Romeo.", "'It is,' said Romeo."),
    ],
)
def test_a_speaker_whom_nobody_named_is_taken_out(source, written, wanted):
    assert apply("speaker", source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("We must go.", "We must go, sir.", "We must go."),
        ("We must go.", "My lord, we must go.", "We must go."),
        ("We must go.", "O, my good lord, we must go!", "We must go!"),
        ("Sir, we must go.", "My lord, we must go.", "My lord, we must go."),
        ("We must go.", "The lord must go.", "The lord must go."),
        ("I fear that we go.", "I fear, sir, that we go.", "I fear that we go."),
        ("Well, we go.", "Why, sir, we go.", "Why, we go."),
    ],
)
def test_an_address_that_nobody_used_is_taken_out(source, written, wanted):
    assert apply("address", source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        (
            "Things were said.",
            "And, you know, things were, you know, said.",
            "And, you know, things were said.",
        ),
        ("He is big.", "Uh, he is, um, big, you know.", "Uh, he is big."),
        ("You know it.", "And you know it, uh, well.", "And you know it, uh, well."),
        (
            "He came, she went.",
            "And, you know, he came, you know, she went.",
            "And, you know, he came, she went.",
        ),
    ],
)
def test_fillers_are_few(source, written, wanted):
    assert apply("fillers", source, written) == wanted


def test_one_filler_to_a_dozen_words():
    clause = "he went to the shop and bought some good bread"
    long = f"Uh, {clause}, um, {clause}, and so on."
    assert apply("fillers", "He went.", long) == long
    assert apply("fillers", "He went.", f"Uh, {clause}, um.") == f"Uh, {clause}."


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        (
            "We go home and rest and eat.",
            "We go home...we rest...we eat...",
            "We go home...we rest; we eat.",
        ),
        ("I came, I saw.", "I came--I saw--at last.", "I came--I saw, at last."),
        ("I came, I saw.", "I came--I saw--At last.", "I came--I saw. At last."),
        ("I came... I saw... yes...", "I came... I saw... ay...", None),
        ("A long, long way it is to go.", "A long...long way it is.", None),
    ],
)
def test_pauses_are_few(source, written, wanted):
    assert apply("pauses", source, written) == (wanted or written)


@pytest.mark.parametrize(("words", "dashes"), [(19, 1), (20, 2), (29, 2), (30, 3)])
def test_one_dash_to_ten_words(words, dashes):
    text = "--".join([" ".join(["so"] * (words - 8)), *["so"] * 8])
    assert apply("pauses", "It is so.", text).count("--") == dashes


@pytest.mark.parametrize(("words", "dots"), [(11, 1), (12, 2), (18, 3)])
def test_one_ellipsis_to_six_words(words, dots):
    text = "...".join([" ".join(["so"] * (words - 8)), *["so"] * 8])
    assert apply("pauses", "It is so.", text).count("...") == dots


@pytest.mark.parametrize(
    ("name", "source", "written", "wanted"),
    [
        ("past-tense", "A bee.", "It tremble'd; he'd go.", "It trembled; he'd go."),
        ("past-tense", "A bee.", "There'd be one.", "There'd be one."),
        ("stutter", "Go to them.", "Go to the, the, the men.", "Go to the, the men."),
        ("stutter", "No, no, no, go.", "No, no, no, you go.", "No, no, no, you go."),
        ("old-spelling", "It is yours.", "It is thys.", "It is thine."),
        ("verb-agreement", "Are you it?", "Dost thou art it?", "Art thou it?"),
        ("open-quotes", '"It is not safe.', '"It\'s not safe."', "\"It's not safe."),
        ("open-quotes", 'It is not safe."', '"It\'s not safe."', "It's not safe.\""),
        ("open-quotes", '"It is so."', '"It was so."', '"It was so."'),
        ("curly-quotes", "“Go,” he said.", '"Go on," he said.', "“Go on,” he said."),
        ("curly-quotes", "It is not safe.”", "It isn't safe.\"", "It isn't safe.”"),
        ("curly-quotes", "It isn’t safe.", "It's unsafe.", "It’s unsafe."),
        ("curly-quotes", "It isn't safe.", "It's unsafe.", "It's unsafe."),
    ],
)
def test_a_single_repair(name, source, written, wanted):
    assert apply(name, source, written) == wanted


def test_repairs_can_be_left_out():
    assert repair("A bee.", "a apple", []) == "a apple"
    assert len({entry.name for entry in REPAIRS}) == len(REPAIRS)
