"""Paraphrast inside other libraries: pandas, Hugging Face datasets, spaCy.

Each module is a thin coat around `texts.TextRewriter`, and is imported by name, so that
nobody needs a library that they do not use::

    import paraphrast.adapters.pandas
    from paraphrast.adapters.datasets import ColumnRewriter
    import paraphrast.adapters.spacy
"""
