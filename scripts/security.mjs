// `npm run security [-- suite …] [--deep]`: runs the security suites and prints their figures.
// `npm run security -- guards [words]`: removes one guard at a time and names the test that fails.
// `npm run security -- sbom [file]`: the software bill of materials, as CycloneDX.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.mjs";
import { giveUp, node, root, setUp, tryRun } from "./setup.mjs";
import { suites } from "./security-suites.mjs";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isDeep = process.argv.includes("--deep");
const [first, ...rest] = words;

setUp();
if (first === "guards")
  process.exit(
    tryRun(node, [join("verify", "mutants", "run-mutants.ts"), ...(rest.length === 0 ? ["guard: "] : rest)]),
  );
if (first === "sbom") process.exit(tryRun(node, [join("verify", "security", "write-sbom.ts"), ...rest]));

const unknown = words.filter((word) => !Object.hasOwn(suites, word));
if (unknown.length > 0)
  giveUp(`No suite is called ${unknown.join(", ")}: ${Object.keys(suites).join(", ")}, guards or sbom.`);
const wanted = words.length === 0 ? Object.keys(suites) : words;
const files = wanted.flatMap((name) => suites[name]);
const chromium = wanted.includes("browser") ? findBrowser() : { path: "", environment: {} };

const figures = join(root, ".cache", "security-figures.txt");
mkdirSync(join(root, ".cache"), { recursive: true });
rmSync(figures, { force: true });
const status = tryRun("vitest", ["run", ...files], {
  CHROMIUM_PATH: chromium.path,
  ...chromium.environment,
  SECURITY_FIGURES: figures,
  SECURITY_DEPTH: isDeep ? "deep" : "usual",
});
if (existsSync(figures)) process.stdout.write(`\n${readFileSync(figures, "utf8")}`);
process.exit(status);
