import { createServer } from "node:http";
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "#verify/testing/free-port.ts";
import { signInAt } from "#verify/testing/person.ts";
import { type ProductProcess, spawnProduct } from "#verify/testing/product-process.ts";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of stack.splice(0).toReversed()) await resource[Symbol.asyncDispose]();
});

async function someSettings(): Promise<
  Record<string, string> & { readonly PORT: string; readonly SANDBOX_PORT: string; readonly DATA_DIR: string }
> {
  const folder = await preparedFolder();
  stack.push(folder);
  const [port, sandboxPort] = [await freePort(), await freePort()];
  return { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: folder.path };
}

function start(settings: Readonly<Record<string, string>>): ProductProcess {
  const product = spawnProduct(settings);
  stack.push(product);
  // Refused starts are checked by their exit instead.
  product.ready.catch(() => undefined);
  return product;
}

describe("a start", () => {
  test("with no data yet prints the address to open and nothing else, keeps its files to itself, and ends on SIGTERM", async () => {
    const folder = await temporaryFolder();
    stack.push(folder);
    const settings = { ...(await someSettings()), DATA_DIR: join(folder.path, "data") };
    const product = start(settings);
    expect(await product.ready).toBe(`Synapse: http://localhost:${settings.PORT}`);
    expect((await fetch(`http://localhost:${settings.PORT}/health`)).status).toBe(200);
    for (const name of ["", "master.keys", "operator.sock", "store", "sandbox"])
      expect((await stat(join(settings.DATA_DIR, name))).mode & 0o077, name).toBe(0);
    product.kill("SIGTERM");
    expect(await product.ended).toMatchObject({
      code: 0,
      stdout: `Synapse: http://localhost:${settings.PORT}\n`,
    });
  });

  test("with fewer archived days than a price must be known for says that no filter buys by it", async () => {
    const product = start({ ...(await someSettings()), ARCHIVE_DAYS: "6", LOG_LEVEL: "warn" });
    await product.ready;
    product.kill("SIGTERM");
    expect((await product.ended).stderr).toContain("ARCHIVE_DAYS is below PRICE_BUY_MIN_DAYS");
  });

  test("with SERVICES=sandbox runs the sandbox alone, and another process's product uses it", async () => {
    const settings = await someSettings();
    const sandbox = start({ ...settings, SERVICES: "sandbox" });
    expect(await sandbox.ready).toBe(`Sandbox: http://localhost:${settings.SANDBOX_PORT}`);
    const sandboxUrl = `http://127.0.0.1:${settings.SANDBOX_PORT}`;
    expect((await sandboxClient(sandboxUrl).requests()).total).toBe(0);
    await expect(fetch(`http://127.0.0.1:${settings.PORT}/health`)).rejects.toThrow("fetch failed");
    await expect(stat(join(settings.DATA_DIR, "master.keys"))).rejects.toThrow("ENOENT");
    const product = start({ ...(await someSettings()), SANDBOX_URL: sandboxUrl, PORT: settings.PORT });
    await product.ready;
    const lea = await signInAt(`http://localhost:${settings.PORT}`, "thunder-lea");
    expect((await lea.call("settings")).vinted.etat).toBe("connecte");
  });
});

describe("a start is refused with one line and exit code 2", () => {
  async function refused(settings: Readonly<Record<string, string>>): Promise<string> {
    const end = await start({ LOG_LEVEL: "info", ...settings }).ended;
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr.trimEnd().split("\n")).toHaveLength(1);
    return end.stderr;
  }

  test("for a setting that is wrong", async () => {
    expect(await refused({ PORT: "http" })).toMatch(/^PORT must be a whole number/);
  });

  test("while another product has the data", async () => {
    const settings = await someSettings();
    await start(settings).ready;
    const others = await someSettings();
    expect(await refused({ ...others, DATA_DIR: settings.DATA_DIR })).toMatch(/another|in use|locked/);
  });

  test("while another program has its port", async () => {
    const settings = await someSettings();
    const squatter = createServer().listen(Number(settings.PORT), "127.0.0.1");
    await once(squatter, "listening");
    stack.push({
      [Symbol.asyncDispose]: async () => {
        squatter.close();
        await once(squatter, "close");
      },
    });
    expect(await refused(settings)).toBe(
      `port ${settings.PORT} is in use: end the program that has it, or set another port\n`,
    );
  });

  test("when the keys are missing while sealed data exist", async () => {
    const settings = await someSettings();
    const first = start(settings);
    await first.ready;
    first.kill("SIGINT");
    expect((await first.ended).code).toBe(0);
    await rm(join(settings.DATA_DIR, "master.keys"));
    expect(await refused(settings)).toMatch(/keys are missing/);
  });

  test("when DATA_DIR cannot be a directory", async () => {
    expect(await refused({ ...(await someSettings()), DATA_DIR: "/dev/null/data" })).toMatch(
      /^DATA_DIR .*ENOTDIR/,
    );
  });
});

test("a start whose database does not answer yet ends with one line that says so, for its supervisor to try again", async () => {
  const address = `postgres://synapse:canary@127.0.0.1:${await freePort()}/synapse`;
  const end = await start({ ...(await someSettings()), LOG_LEVEL: "info", DATABASE_URL: address }).ended;
  expect(end).toMatchObject({
    code: 3,
    stdout: "",
    stderr: "PostgreSQL does not answer at DATABASE_URL (ECONNREFUSED)\n",
  });
});
