import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

/** A clone with one source per folder, and an `npm` that installs a Node that only builds. */
let clone: TemporaryFolder;
const at = (path: string): string => join(clone.path, path);

beforeEach(async () => {
  clone = await temporaryFolder();
  for (const folder of ["scripts", ".cache", "bin", "src/web", "src/contract", "src/catalogue"])
    mkdirSync(at(folder), { recursive: true });
  for (const script of ["scripts/setup.mjs", "scripts/dev.mjs"])
    copyFileSync(new URL(`../../${script}`, import.meta.url), at(script));
  for (const file of [
    "package-lock.json",
    "vite.config.ts",
    "src/web/a",
    "src/contract/a",
    "src/catalogue/a",
  ])
    writeFileSync(at(file), "");
  program("npm", "mkdir -p node_modules/.bin && cp bin/build node_modules/.bin/node");
  program(
    "build",
    "rm -rf dist/web; test -e broken && exit 1; mkdir -p dist/web && touch dist/web/panel.html",
  );
});

afterEach(async () => {
  await clone[Symbol.asyncDispose]();
});

function program(name: string, text: string): void {
  writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${text}\n`);
  chmodSync(at(`bin/${name}`), 0o755);
}

/** Runs a statement with the module's exports in a process of its own. */
function run(statement: string) {
  return runNode("-e", scriptOf(statement));
}

function scriptOf(statement: string): string {
  return `import(${JSON.stringify(at("scripts/setup.mjs"))}).then(({ exclusively, setUp }) => { ${statement} })`;
}

function runNode(...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { NODE_ENV: "production", PATH: `${at("bin")}:${process.env["PATH"] ?? ""}` },
    encoding: "utf8",
    // Such a call blocks the test's own time limit.
    timeout: 240_000,
  });
  return { status, printed: stderr };
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

describe("the lock of the set-up", () => {
  const work = "exclusively(() => process.stderr.write('worked'))";
  const worked = { status: 0, printed: "worked" };

  test("is taken over from a process that ended, also if that was killed before it wrote its number", () => {
    const { pid } = spawnSync("true");
    writeFileSync(at(".cache/setup.lock"), String(pid));
    expect(run(work)).toEqual(worked);
    writeFileSync(at(".cache/setup.lock"), "");
    utimesSync(at(".cache/setup.lock"), 1, 1);
    expect(run(work)).toEqual(worked);
    expect(existsSync(at(".cache/setup.lock"))).toBe(false);
  });

  test("is taken over by the process that has its owner's number, as in a restarted container", () => {
    const path = JSON.stringify(at(".cache/setup.lock"));
    const leave = `process.getBuiltinModule("fs").writeFileSync(${path}, String(process.pid));`;
    expect(run(`${leave} ${work}`)).toEqual(worked);
  });

  test("is taken over when it is older than the machine's start, whoever has its owner's number now", () => {
    writeFileSync(at(".cache/setup.lock"), String(process.pid));
    utimesSync(at(".cache/setup.lock"), 1, 1);
    expect(run(work)).toEqual(worked);
  });

  test("is taken over when the process that has its owner's number now started at another time", () => {
    writeFileSync(at(".cache/setup.lock"), `${process.pid} 1`);
    expect(run(work)).toEqual(worked);
  });

  test("says whom it waits for, and works once that process gives it up", async () => {
    const release = JSON.stringify(at("release"));
    const pause = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)";
    const untilReleased = `const { existsSync } = process.getBuiltinModule("fs"); while (!existsSync(${release})) ${pause}`;
    const owner = spawn(process.execPath, ["-e", scriptOf(`exclusively(() => { ${untilReleased}; })`)]);
    await expect.poll(() => existsSync(at(".cache/setup.lock"))).toBe(true);
    const waiting = spawn(process.execPath, ["-e", scriptOf(work)]);
    let printed = "";
    waiting.stderr.on("data", (piece: Buffer) => (printed += piece.toString()));
    const waits = `Waiting for the set-up of process ${owner.pid}…\n`;
    await expect.poll(() => printed).toBe(waits);
    writeFileSync(at("release"), "");
    await expect.poll(() => printed).toBe(`${waits}worked`);
    expect(await ended(waiting)).toBe(0);
  });

  test("says in one line that its folder cannot be written", () => {
    rmSync(at(".cache"), { recursive: true });
    writeFileSync(at(".cache"), "a file");
    const { status, printed } = run(work);
    expect(status).toBe(1);
    expect(printed).toMatch(/^The set-up cannot write .cache.setup.lock in this folder \(E\w+\)\.\n$/);
  });
});

test("the web is built again when it is missing, and after a build that was interrupted", () => {
  const built = "Building the web…";
  expect(run("setUp()").printed).toContain(built);
  expect(run("setUp()").printed).toBe("");
  rmSync(at("dist/web"), { recursive: true });
  expect(run("setUp()").printed).toContain(built);
  writeFileSync(at("src/web/a"), "changed");
  writeFileSync(at("broken"), "");
  expect(run("setUp()").status).toBe(1);
  rmSync(at("broken"));
  writeFileSync(at("src/web/a"), "");
  expect(run("setUp()").printed).toContain(built);
  expect(existsSync(at("dist/web/panel.html"))).toBe(true);
});

test("the web is built again after it was developed", () => {
  program("build", 'case "$*" in *vite*) mkdir -p dist/web && touch dist/web/panel.html ;; esac');
  expect(run("setUp()").printed).toContain("Building the web…");
  expect(runNode(at("scripts/dev.mjs")).status).toBe(0);
  expect(run("setUp()").printed).toContain("Building the web…");
});

test("the installation includes what builds the web, also where NODE_ENV is production", () => {
  program("npm", `echo "$@" > asked; mkdir -p node_modules/.bin && cp bin/build node_modules/.bin/node`);
  run("setUp()");
  expect(readFileSync(at("asked"), "utf8")).toContain("--include=dev --include=optional");
});
