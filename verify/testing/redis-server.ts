import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnection } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { installByApt } from "./apt.ts";
import { freePort } from "./free-port.ts";

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Kills it and starts it again; what was not persisted is lost. */
  restart(awayMs?: number): Promise<void>;
}

const START_TIMEOUT_MS = 240_000;
const START_POLL_MS = 25;
const PING_TIMEOUT_MS = 30_000;

/**
 * A Redis server for tests: the one at TEST_REDIS_URL, else a temporary `redis-server` or `valkey-server`,
 * installed by apt-get when missing and running as root. Throws with instructions when there is none: tests
 * that need one never pass without it.
 */
export async function openRedisServer(): Promise<RedisServer> {
  const given = process.env["TEST_REDIS_URL"];
  if (given !== undefined && given !== "")
    return {
      url: given,
      restart: () => Promise.reject(new Error("the Redis of TEST_REDIS_URL is not ours to restart")),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  return await startServer(findRedis());
}

async function startServer(program: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "synapse-redis-"));
  const port = await freePort();
  let server = await begin(program, folder, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    async restart(awayMs = 0) {
      await end(server);
      await wait(awayMs);
      server = await begin(program, folder, port);
    },
    async [Symbol.asyncDispose]() {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function begin(program: string, folder: string, port: number): Promise<ChildProcess> {
  const flags = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
  ];
  const server = spawn(program, flags, { stdio: "ignore" });
  const kill = (): void => {
    server.kill("SIGKILL");
  };
  process.once("exit", kill);
  server.once("exit", () => process.off("exit", kill));
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < giveUpAtMs) {
    if (server.exitCode !== null) break;
    if (await answersPing(port)) return server;
    await wait(START_POLL_MS);
  }
  throw new Error(`${program} did not start on port ${port}`);
}

/** True also for an error reply, as while it loads its data. */
async function answersPing(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection({ port, host: "127.0.0.1" });
  for (const end of ["error", "close", "timeout"]) socket.once(end, () => resolve(false));
  socket.setTimeout(PING_TIMEOUT_MS);
  socket.once("data", (answer) => resolve(answer.toString().startsWith("+PONG")));
  socket.write("PING\r\n");
  const answer = await promise;
  socket.destroy();
  return answer;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = Promise.withResolvers<void>();
  server.once("exit", () => ended.resolve());
  server.kill("SIGKILL");
  await ended.promise;
}

function findRedis(): string {
  const found = onPath() ?? installed();
  if (found !== null) return found;
  throw new Error(
    "this needs Redis 7 or Valkey: install it (Debian: apt-get install redis-server), or set TEST_REDIS_URL",
  );
}

function onPath(): string | null {
  const names = ["redis-server", "valkey-server"];
  return names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

function installed(): string | null {
  installByApt(["redis-server", "valkey-server"], () => onPath() !== null);
  return onPath();
}
