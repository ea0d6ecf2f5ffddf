import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer, request as send } from "node:http";
import type { Duplex } from "node:stream";

/**
 * A reverse proxy for local nodes: checks their health, keeps a session on one healthy node (which long
 * polling requires), balances everything else, and passes WebSocket upgrades through.
 */
interface SmallProxy extends AsyncDisposable {
  readonly port: number;
}

const LOOK_MS = 250;
const LOOK_PATIENCE_MS = 1_500;

interface Target {
  readonly port: number;
  isWell: boolean;
}

/** @param dropped headers to remove, in lower case */
export async function startProxy(
  port: number,
  nodePorts: readonly number[],
  dropped: readonly string[] = [],
): Promise<SmallProxy> {
  const targets: Target[] = nodePorts.map((nodePort) => ({ port: nodePort, isWell: false }));
  let turn = 0;

  /** The healthy nodes in order of preference; the order is stable for each session. */
  function candidates(incoming: IncomingMessage): readonly Target[] {
    const well = targets.filter(({ isWell }) => isWell);
    // Where no health check is answered in time, the machine is busy: none of them has a replacement.
    const usable = well.length === 0 ? targets : well;
    const session = /__Host-sid=([^;]+)/.exec(incoming.headers.cookie ?? "")?.[1];
    turn += 1;
    const rank = ({ port: nodePort }: Target): string =>
      session === undefined ? String((nodePort + turn) % targets.length) : digest(`${session} ${nodePort}`);
    return usable.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  }

  async function look(target: Target): Promise<void> {
    try {
      const answer = await fetch(`http://127.0.0.1:${target.port}/health`, {
        signal: AbortSignal.timeout(LOOK_PATIENCE_MS),
      });
      target.isWell = answer.ok;
      await answer.arrayBuffer();
    } catch {
      target.isWell = false;
    }
  }

  const server = createServer((incoming, outgoing) =>
    pass(without(dropped, incoming), outgoing, candidates(incoming)),
  );
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    passUpgrade(without(dropped, incoming), { socket, head }, candidates(incoming)),
  );
  // Only the client closes idle connections: closing one here could race with its next request.
  server.keepAliveTimeout = 0;
  const looking = setInterval(() => void Promise.all(targets.map(look)), LOOK_MS);
  await Promise.all(targets.map(look));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port,
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function without(dropped: readonly string[], incoming: IncomingMessage): IncomingMessage {
  for (const name of dropped) delete incoming.headers[name];
  return incoming;
}

function forwarded(incoming: IncomingMessage): Record<string, string | string[] | undefined> {
  return { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress ?? "" };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, targets: readonly Target[]): void {
  const [target, ...others] = targets;
  if (target === undefined) {
    outgoing
      .writeHead(503, { "content-type": "application/json" })
      .end('{"error":"Le service est indisponible."}');
    return;
  }
  const { method, url: path } = incoming;
  const passed = send({ host: "127.0.0.1", port: target.port, method, path, headers: forwarded(incoming) });
  passed.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  passed.on("error", (error) => {
    // Nothing was sent, so another node may take the request.
    const isUntouched = "code" in error && error.code === "ECONNREFUSED" && incoming.readableLength === 0;
    target.isWell = false;
    if (isUntouched && incoming.method === "GET") pass(incoming, outgoing, others);
    else if (outgoing.headersSent) outgoing.destroy();
    else
      outgoing
        .writeHead(502, { "content-type": "application/json" })
        .end('{"error":"Le service est indisponible."}');
  });
  incoming.pipe(passed);
}

function passUpgrade(
  incoming: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  [target]: readonly Target[],
): void {
  socket.on("error", () => socket.destroy());
  if (target === undefined) {
    socket.destroy();
    return;
  }
  const { method, url: path } = incoming;
  const passed = send({ host: "127.0.0.1", port: target.port, method, path, headers: forwarded(incoming) });
  passed.on("error", () => socket.destroy());
  passed.on("response", () => socket.destroy());
  passed.on("upgrade", (answer, behind, behindHead) => {
    const headers = answer.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1] ?? ""}`] : [],
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join("\r\n")}\r\n\r\n`);
    if (behindHead.length > 0) socket.write(behindHead);
    if (head.length > 0) behind.write(head);
    behind.on("error", () => socket.destroy());
    behind.on("close", () => socket.destroy());
    socket.on("close", () => behind.destroy());
    behind.pipe(socket).pipe(behind);
  });
  passed.end();
}
