import { describeError } from "#domain/error-fields.ts";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Log } from "#domain/log.ts";
import type { ControlFace } from "../control/control-face.ts";
import type { PeopleFace } from "../pages/people-face.ts";
import type { SignInFace } from "../sign-in/sign-in-face.ts";
import { jsonAnswer, type Answer } from "./answer.ts";
import { BodyTooLarge, readIncoming, type Incoming } from "./incoming.ts";
import { lineOf } from "./line.ts";
import type { MarketplaceFace } from "./marketplace-face.ts";

interface Faces {
  readonly marketplace: MarketplaceFace;
  readonly control: ControlFace;
  readonly signIn: SignInFace;
  readonly people: PeopleFace;
}

/** Room for a catalogue request that names every leaf. */
const MAX_HEADER_BYTES = 65_536;

export function createSandboxServer(): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  // A caller's own pool may reuse a connection long after the default of five seconds.
  server.keepAliveTimeout = 30_000;
  return server;
}

/** Opens for business: four faces, and each request goes to the one whose path it names. */
export function openFaces(server: Server, faces: Faces, log: Log): void {
  server.on("request", (request, response) => {
    readIncoming(request)
      .then((incoming) => serve(faces, incoming, response))
      .catch((error: unknown) => fail(response, error, log));
  });
}

async function serve(faces: Faces, incoming: Incoming, response: ServerResponse): Promise<void> {
  const { path } = incoming;
  if (faces.marketplace.owns(path)) {
    await faces.marketplace.serve(incoming, lineOf(response));
    return;
  }
  if (faces.control.owns(path)) send(response, faces.control.serve(incoming));
  else if (faces.signIn.owns(path)) send(response, faces.signIn.serve(incoming));
  else send(response, faces.people.serve(incoming));
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, { ...answer.headers, "content-length": Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  if (response.headersSent || response.destroyed) return;
  if (error instanceof BodyTooLarge) {
    send(response, jsonAnswer(413, { error: "the body is too large" }));
    return;
  }
  log.error(describeError(error), "the sandbox failed a request");
  send(response, jsonAnswer(500, { error: "internal error" }));
}
