# An image that holds one program, the certificates of authorities, and nothing else.
#
#   docker build --build-arg VERSION=0.2.0 -t dropyard .

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /root-of-image/usr/bin/dropyard ./cmd/dropyard \
 && mkdir -p /root-of-image/data/proofs /root-of-image/etc/ssl/certs /root-of-image/usr/share/doc/dropyard \
 && cp /etc/ssl/certs/ca-certificates.crt /root-of-image/etc/ssl/certs/ \
 && cp LICENSE THIRD_PARTY_NOTICES.md /root-of-image/usr/share/doc/dropyard/ \
 && mkdir -m 1777 /root-of-image/tmp \
 && chmod 0700 /root-of-image/data /root-of-image/data/proofs \
 && chown -R 65532:65532 /root-of-image/data

FROM scratch
COPY --from=build /root-of-image/ /
USER 65532:65532
ENV DROPYARD_LISTEN=0.0.0.0:8080 DROPYARD_DATA=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/bin/dropyard", "health"]
ENTRYPOINT ["/usr/bin/dropyard"]
CMD ["serve"]
