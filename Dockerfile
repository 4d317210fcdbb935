# Eddyline in a container: docker build -t eddyline .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" eddyline run dam_break
# With message passing between ranks: docker build --build-arg EXTRAS=[mpi] -t eddyline .

FROM python:3.13-slim-bookworm AS build
# Debian keeps one version of a package for each of its releases, and removes it when a corrected one comes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-bookworm
ARG EXTRAS=
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 eddyline \
    && install --directory --owner=eddyline /work
# The wheel and the versions that it is tested with; neither stays in the image.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    --mount=type=bind,source=constraints.txt,target=/constraints.txt \
    pip install --no-cache-dir --no-compile -c /constraints.txt "$(echo /wheels/eddyline-*.whl)${EXTRAS}"
# Any user may run it; matplotlib wants a folder for its fonts.
ENV MPLCONFIGDIR=/tmp/matplotlib
USER 1000
WORKDIR /work
ENTRYPOINT ["eddyline"]
CMD ["--help"]
