import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figure } from "./figures.ts";
import { bundleFiles, isBelow, readLock, type LockedPackage, sbomOf } from "./lock-file.ts";

/** Third-party code, checked by the lock file alone, so that it works without a network. */
const locked = readLock();
const production = locked.filter((one) => one.isProduction);

/** Exceeding this requires a review as described in docs/security.md. */
const MOST_IN_PRODUCTION = 150;

/** Their install scripts download or select a binary; `npm ci --ignore-scripts` runs none of them. */
const MAY_HAVE_INSTALL_SCRIPTS = new Set(["esbuild"]);

/** The first version without the named vulnerability. */
const FLOORS: Readonly<Record<string, string>> = {
  // Attachment counts that exhaust memory.
  "socket.io-parser": "4.2.7",
  // Headers beyond server.maxHeadersCount crash the server.
  ws: "8.17.1",
  // An uncaught exception on a broken upgrade.
  "engine.io": "6.6.2",
  // Content types that bypass validation.
  fastify: "5.3.2",
  // Predictable multipart boundaries; memory leak on bad certificates.
  undici: "7.5.0",
  // Prototype pollution by "__proto__".
  "secure-json-parse": "2.4.0",
  // Slow backtracking on crafted routes.
  "find-my-way": "9.0.1",
};

function namesOf(packages: readonly LockedPackage[]): readonly string[] {
  return packages.map((one) => one.path);
}

test("every package is pinned by a hash, and comes from the registry", () => {
  const unhashed = locked.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity));
  expect(namesOf(unhashed)).toEqual([]);
  const elsewhere = locked.filter(({ source }) => source !== "" && !source.startsWith("https://registry."));
  expect(namesOf(elsewhere)).toEqual([]);
  const unpinned = locked.filter(({ version }) => !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version));
  expect(namesOf(unpinned)).toEqual([]);
});

test("what the project asks for is an exact version of the registry", () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"),
  ) as {
    readonly [kind: string]: Readonly<Record<string, string>> | undefined;
  };
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "overrides"])
    for (const [name, version] of Object.entries(manifest[kind] ?? {}))
      expect(`${name} ${version}`).toMatch(/ (npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/);
});

test("install scripts are those of the list, and none of them runs", () => {
  const scripted = locked.filter(({ hasInstallScript }) => hasInstallScript);
  expect(scripted.filter(({ name }) => !MAY_HAVE_INSTALL_SCRIPTS.has(name))).toEqual([]);
  expect(scripted.filter(({ isProduction }) => isProduction)).toEqual([]);
  const setup = readFileSync(join(import.meta.dirname, "..", "..", "scripts", "setup.mjs"), "utf8");
  expect(setup).toContain('["ci", "--ignore-scripts"');
});

test.each(Object.entries(FLOORS))("%s is at least %s", (name, floor) => {
  const versions = locked.filter((one) => one.name === name).map(({ version }) => version);
  expect(versions).not.toEqual([]);
  expect(versions.filter((version) => isBelow(version, floor))).toEqual([]);
});

test("what runs in production is few enough to be read", () => {
  expect(production.length).toBeLessThanOrEqual(MOST_IN_PRODUCTION);
  const sbom = sbomOf(locked);
  expect(sbom.components).toHaveLength(production.length);
  expect(sbom.components.every(({ hashes }) => hashes.length === 1)).toBe(true);
  figure(
    "dependencies",
    `${locked.length} locked packages, ${production.length} in production: all hashed, 0 from elsewhere, ${Object.keys(FLOORS).length} floors hold`,
  );
});

test("the web's files hold nothing of the server, the sandbox or a secret", () => {
  const files = bundleFiles();
  expect(files.filter(({ name }) => /\.map$|^\./.test(name))).toEqual([]);
  const foreign =
    /persona=|\/control\/|listings_per_second|sandbox-thunder|node:crypto|pglite|drizzle|MASTER_KEYS|sourceMappingURL/;
  expect(files.filter(({ text }) => foreign.test(text)).map(({ name }) => name)).toEqual([]);
  figure("dependencies", `${files.length} files of the web: 0 words of the server or the sandbox`);
});
