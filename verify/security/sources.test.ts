import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { figure } from "./figures.ts";

/** What must not occur in the sources: secrets, and ways around a guard. */
const root = join(import.meta.dirname, "..", "..");
const FOLDERS = ["src", "verify", "scripts", "e2e", "docs", ".ci"];
const TEXT = /\.(ts|tsx|mjs|js|json|md|css|sql|html|svg|yml)$/;

interface Source {
  readonly name: string;
  readonly text: string;
}

const sources: readonly Source[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
)
  .filter((path) => path !== import.meta.filename)
  .map((path) => ({ name: relative(root, path), text: readFileSync(path, "utf8") }));

const product = sources.filter(
  ({ name }) => name.startsWith("src/") && !/[.](test|suite)[.]tsx?$/.test(name),
);

function holding(pattern: RegExp, among: readonly Source[]): readonly string[] {
  return among.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
}

test.each([
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["a key of a cloud", /\bAKIA[0-9A-Z]{16}\b/],
  ["a token of a code host", /\bgh[pousr]_\w{36}\b|\bglpat-[\w-]{20}\b/],
  ["a token of a chat", /\bxox[baprs]-[\w-]{10,}|\b[MN][\w-]{23}\.[\w-]{6}\.[\w-]{27,}\b/],
  ["a signed web token", /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\./],
  [
    "a password in an address",
    /\b(postgres(ql)?|rediss?|https?):\/\/[^\s:@/$"'`<]+:[^\s@/$"'`<]{6,}@(?!localhost|127\.)/,
  ],
])("no source holds %s", (_what, pattern) => {
  expect(holding(pattern, sources)).toEqual([]);
});

test.each([
  ["takes a certificate that does not verify", /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/],
  [
    "writes HTML by itself",
    /dangerouslySetInnerHTML|insertAdjacentHTML|\.(inner|outer)HTML\b|document\.write\(/,
  ],
  ["runs a text as a program", /\beval\(|new Function\(|setTimeout\(\s*["'`]/],
  ["builds SQL from texts", /sql\.raw\(/],
  ["allows other origins", /access-control-allow-/i],
])("no part of the product %s", (_what, pattern) => {
  expect(holding(pattern, product)).toEqual([]);
});

test("no part of the server asks others by Node's own fetch, which some broken answers make end the process", () => {
  const server = product.filter(({ name }) => !name.startsWith("src/web/"));
  expect(holding(/(?<![.\w])fetch\(/, server)).toEqual([]);
});

test("the scan reads what it is meant to read", () => {
  expect(product.length).toBeGreaterThan(300);
  expect(holding(/export function isOwnRequest/, product)).toEqual(["src/auth/origin-guard.ts"]);
  figure("sources", `${sources.length} files: 0 secrets, 0 ways around a guard`);
});
