# Image of the controller, the routers and the pickers. `npm ci && npm run bundle` first: what is copied is made there.
# Any processor that Node and the prebuilt ZeroMQ have: `docker build --platform linux/amd64,linux/arm64 .`
FROM node:24-bookworm-slim

WORKDIR /app
COPY dist /app/dist
# Native code, which the bundle cannot hold: for pods that publish KV events.
COPY node_modules/zeromq /app/node_modules/zeromq
COPY node_modules/cmake-ts /app/node_modules/cmake-ts

USER 65532:65532
ENTRYPOINT ["node", "/app/dist/inference-gateway.js"]
