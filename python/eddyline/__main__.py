"""`python -m eddyline` is `eddyline`."""

from eddyline.cli import main

if __name__ == "__main__":
    main()
