# The studio and the service, with the bundled packs inside: docs/service.md.
#
#   docker build --tag paraphrast .
#   docker run --publish 127.0.0.1:8765:8765 --volume paraphrast:/data \
#       --env PARAPHRAST_SECRET="$(openssl rand -hex 32)" paraphrast

FROM python:3.11-slim AS build
# hadolint ignore=DL3008 # the base image's release fixes which g++ there is
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /opt/paraphrast \
    && /opt/paraphrast/bin/pip install --no-cache-dir ".[web,postgres,research]"

FROM python:3.11-slim
LABEL org.opencontainers.image.title="Paraphrast" \
    org.opencontainers.image.description="Rewrite English text in another style" \
    org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin \
        paraphrast \
    && install --directory --owner 10001 /data
COPY --from=build /opt/paraphrast /opt/paraphrast
ENV PATH=/opt/paraphrast/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/readyz', timeout=4)"]
ENTRYPOINT ["paraphrast", "serve", "--accounts", "--host", "0.0.0.0", "--data", "/data"]
