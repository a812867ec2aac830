"""The pages: one module with one router for each.

Templates escape everything; none may say ``safe``.
"""
