"""Paraphrast inside other libraries: pandas, Hugging Face datasets, spaCy.

Each module is a thin layer over `texts.TextRewriter`, and is imported by name, so that
only the libraries in use need to be installed::

    import paraphrast.adapters.pandas
    from paraphrast.adapters.datasets import ColumnRewriter
    import paraphrast.adapters.spacy
"""
