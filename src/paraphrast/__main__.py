"""``python -m paraphrast``."""

from paraphrast.cli import main

if __name__ == "__main__":
    main()
