/**
 * The operator's access: a socket file that only the same system user can open. The public port has no route for it, and
 * there is no password that could leak.
 */
import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { OPERATOR_REQUEST_MAX_BYTES, type OperatorAnswer, operatorRequest } from "#contract/operator.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import { StartRefused } from "../start-refused.ts";

interface OperatorSocketOptions {
  /** The path of the socket file (operatorSocketPath). */
  readonly path: string;
  readonly answer: (command: string, input: unknown) => Promise<OperatorAnswer>;
  readonly log: Log;
}

/** A client that connects and sends nothing is disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;

export function createOperatorSocket({ path, answer, log }: OperatorSocketOptions): Service {
  const open = new Set<Socket>();
  const server = createServer((wire) => {
    open.add(wire);
    wire.on("close", () => open.delete(wire));
    // The client has disconnected.
    wire.on("error", () => wire.destroy());
    void answerRequest(wire, answer, log);
  });

  return {
    async run() {
      await refuseSecondOwner(path);
      await rm(path, { force: true });
      server.listen(path);
      await once(server, "listening");
      await chmod(path, 0o600);
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const wire of open) wire.destroy();
      await closed;
    },
  };
}

/** A stale socket file does not answer; one that answers belongs to a running product. */
async function refuseSecondOwner(path: string): Promise<void> {
  const probe = connect(path);
  try {
    await once(probe, "connect");
  } catch {
    return;
  } finally {
    probe.destroy();
  }
  throw new StartRefused(`another running product answers on ${path}: stop it, or choose another DATA_DIR`);
}

async function answerRequest(wire: Socket, answer: OperatorSocketOptions["answer"], log: Log): Promise<void> {
  try {
    const line = await readLine(wire);
    const { command, input } = operatorRequest.parse(JSON.parse(line));
    wire.end(`${JSON.stringify(await answer(command, input))}\n`);
  } catch (error) {
    log.warn(describeError(error), "a request on the operator's socket failed");
    const refused: OperatorAnswer = { ok: false, error: "the request could not be read" };
    if (!wire.destroyed) wire.end(`${JSON.stringify(refused)}\n`);
  }
}

function readLine(wire: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    wire.setEncoding("utf8");
    wire.setTimeout(REQUEST_TIMEOUT_MS, () => reject(new Error("no request came")));
    wire.on("close", () => reject(new Error("closed before a request came")));
    wire.on("data", (part: string) => {
      text += part;
      const end = text.indexOf("\n");
      if (end < 0 && text.length <= OPERATOR_REQUEST_MAX_BYTES) return;
      wire.setTimeout(0);
      if (end < 0) reject(new Error("the request is too long"));
      else resolve(text.slice(0, end));
    });
  });
}
