import { rm } from "node:fs/promises";
import { freePort } from "../verify/testing/free-port.ts";
import { spawnProduct, type ProductProcess } from "../verify/testing/product-process.ts";
import { sandboxClient, type SandboxClient } from "../verify/testing/sandbox-client.ts";
import { newDataDir } from "../verify/testing/test-store.ts";

/** The whole product as a process with new data, its own sandbox, free ports and an empty market. */
export interface Product {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly sandbox: SandboxClient;
  /** The process id of the running server. */
  readonly pid: number;
  readonly dataDir: string;
  /** kill -9, then a new start on the same data. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startProduct(settings: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dataDir = await newDataDir();
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const start = async (): Promise<ProductProcess> => {
    const server = spawnProduct({
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: dataDir,
      RATE_LIMITS: "off",
      ...settings,
    });
    await server.ready;
    return server;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    const { stderr } = await server.ended;
    // Shows the product's errors beside those of its journeys.
    if (stderr !== "") process.stderr.write(stderr);
  };
  return {
    url: `http://localhost:${port}`,
    sandboxUrl,
    sandbox: sandboxClient(sandboxUrl),
    dataDir,
    get pid() {
      return server.pid;
    },
    async killAndRestart() {
      await end("SIGKILL");
      server = await start();
    },
    async stop() {
      await end("SIGTERM");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
