import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../src/testing/free-port.ts";

/** The whole product as a process of its own: fresh data, its own sandbox, free ports, an empty market. */
export interface Product {
  readonly url: string;
  readonly sandboxUrl: string;
  /** Of the running server. */
  readonly pid: number;
  readonly dataDir: string;
  /** One control call of the sandbox; throws on a refusal. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** kill -9 and a new start on the same data. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

export async function startProduct(settings: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), "synapse-journey-"));
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const environment = {
    ...process.env,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: dataDir,
    SANDBOX_LISTINGS_PER_SECOND: "0",
    LOG_LEVEL: "warn",
    RATE_LIMITS: "off",
    ...settings,
  };
  let server = await startServer(environment, url);
  return {
    url,
    sandboxUrl,
    dataDir,
    get pid() {
      return server.pid ?? 0;
    },
    async control(method, path, body) {
      const response = await fetch(`${sandboxUrl}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    },
    async killAndRestart() {
      await end(server, "SIGKILL");
      server = await startServer(environment, url);
    },
    async stop() {
      await end(server, "SIGTERM");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startServer(environment: NodeJS.ProcessEnv, url: string): Promise<ChildProcess> {
  const server = spawn(process.execPath, ["src/server/main.ts"], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const giveUpAtMs = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUpAtMs) {
    if (server.exitCode !== null) throw new Error(`the product ended with exit code ${server.exitCode}`);
    if (await isReady(url)) return server;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  server.kill("SIGKILL");
  throw new Error("the product did not become ready");
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    // Not listening yet: the caller asks again.
    return false;
  }
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill(signal);
  await ended;
}
