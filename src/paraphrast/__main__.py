"""``python -m paraphrast``."""

from paraphrast.cli.main import main

if __name__ == "__main__":
    main()
