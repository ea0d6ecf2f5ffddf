// Installs Lighthouse for `npm run interface`; it is not a dependency of the project.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveUp, root, say, tryRun } from "./setup.mjs";

const LIGHTHOUSE_VERSION = "13.5.0";
const cache = join(root, ".cache", "lighthouse");

/** The path of its command, installed from the registry on first use. */
export function findLighthouse() {
  const modules = join(cache, LIGHTHOUSE_VERSION);
  const command = join(modules, "node_modules", "lighthouse", "cli", "index.js");
  if (existsSync(command)) return command;
  say(`Installing lighthouse@${LIGHTHOUSE_VERSION} for the figures of the interface.`);
  mkdirSync(modules, { recursive: true });
  writeFileSync(join(modules, "package.json"), '{ "private": true }\n');
  const install = [
    "install",
    "--prefix",
    modules,
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  tryRun("npm", [...install, "--loglevel=error", `lighthouse@${LIGHTHOUSE_VERSION}`]);
  return existsSync(command) ? command : giveUp("Lighthouse could not be installed from the registry.");
}
