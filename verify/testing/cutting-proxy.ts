import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";
import { freePort } from "./free-port.ts";

/** A proxy between the product and PostgreSQL that cuts connections at the worst moments. */
export interface CuttingProxy extends AsyncDisposable {
  /** The server's address, through the proxy. */
  readonly databaseUrl: string;
  /**
   * Cuts the connection at the nth purchase write from now (OPEN or MOVE): before it reaches the server, or
   * after it took effect and before its answer.
   */
  cutAtWrite(n: number, moment: Moment): void;
  /** The same, and the server is unreachable from then on. */
  leaveAtWrite(n: number, moment: Moment): void;
  /** The same as `cutAtWrite` at the nth COMMIT. */
  cutAtCommit(n: number, moment: Moment): void;
  /** Makes the server unreachable or reachable again: all connections are cut, and new ones refused. */
  setAway(isAway: boolean): void;
  /** How often it has cut. */
  cutCount(): number;
}

type Moment = "before" | "after";

/** The names of the prepared statements in Bind messages. */
const WRITES = [Buffer.from("\0open\0"), Buffer.from("\0move\0")];
const COMMITS = [Buffer.from("commit\0")];

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const plan = { left: 0, at: WRITES, moment: "before", leaves: false, cuts: 0, isAway: false };
  const wires = new Set<Socket>();
  const setAway = (isAway: boolean): void => {
    plan.isAway = isAway;
    if (isAway) for (const wire of wires) wire.destroy();
  };
  const server = createServer((client) => {
    if (plan.isAway) {
      client.on("error", () => client.destroy());
      client.destroy();
      return;
    }
    const upstream = connectTo(databaseUrl);
    let isCutting = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const cut = (): void => {
      end();
      if (plan.leaves) setAway(true);
    };
    for (const wire of [client, upstream]) {
      wires.add(wire);
      wire.on("error", end);
      wire.on("close", () => {
        wires.delete(wire);
        end();
      });
    }
    client.on("data", (bytes: Buffer) => {
      if (plan.left > 0 && plan.at.some((name) => bytes.includes(name))) {
        plan.left -= 1;
        isCutting = plan.left === 0;
        if (isCutting) plan.cuts += 1;
        if (isCutting && plan.moment === "before") return cut();
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      // The server has answered, so the write is durable.
      if (isCutting) return cut();
      client.write(bytes);
    });
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(databaseUrl);
  through.searchParams.delete("host");
  through.hostname = "127.0.0.1";
  through.port = String(port);
  const cutAt = (at: Buffer[], left: number, moment: Moment, leaves = false): void => {
    Object.assign(plan, { at, left, moment, leaves });
  };
  return {
    databaseUrl: through.href,
    cutAtWrite: (n, moment) => cutAt(WRITES, n, moment),
    leaveAtWrite: (n, moment) => cutAt(WRITES, n, moment, true),
    cutAtCommit: (n, moment) => cutAt(COMMITS, n, moment),
    setAway,
    cutCount: () => plan.cuts,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const wire of wires) wire.destroy();
    },
  };
}

/** Over TCP, or through the Unix socket that the URL names. */
function connectTo(databaseUrl: string): Socket {
  const { port, hostname, searchParams } = new URL(databaseUrl);
  const folder = searchParams.get("host");
  const number = port === "" ? "5432" : port;
  return folder === null ? connect(Number(number), hostname) : connect(`${folder}/.s.PGSQL.${number}`);
}
