import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { companyLinks, legalLinks } from "#web/features/landing/legal/legal-pages.ts";
import { type HttpWorld, startHttpWorld } from "./http-world.suite.ts";
import { PAGE_PATHS } from "./plugins/web.ts";

const SCRIPT = `export const words = ${JSON.stringify("synapse ".repeat(500))};`;
const INDEX = `<!doctype html><html lang="fr"><head>
<meta property="csp-nonce" nonce="__CSP_NONCE__">
<meta name="support-email" content="__SUPPORT_EMAIL__">
<meta name="archive-days" content="__ARCHIVE_DAYS__">
<meta name="price-days" content="__PRICE_DAYS__">
<script type="module" nonce="__CSP_NONCE__" src="/assets/main-Cx12.js"></script>
</head><body><div id="root"></div></body></html>`;

let root: string;
let world: HttpWorld;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "synapse-web-"));
  await mkdir(join(root, "assets"));
  await mkdir(join(root, ".secret"));
  await writeFile(join(root, "index.html"), INDEX);
  await writeFile(join(root, "legal.html"), INDEX.replace("main-", "legal-"));
  await writeFile(join(root, "panel.html"), INDEX.replace("main-", "panel-"));
  await writeFile(join(root, "alerte.html"), INDEX.replace("main-", "alerte-"));
  await writeFile(join(root, "favicon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  await writeFile(join(root, "assets", "main-Cx12.js"), SCRIPT);
  await writeFile(join(root, "assets", "main-Cx12.js.map"), "{}");
  await writeFile(join(root, "assets", "font-1.woff2"), Buffer.alloc(2_000));
  await writeFile(join(root, ".env"), "MASTER_KEYS=1");
  await writeFile(join(root, ".secret", "a.json"), "{}");
  await writeFile(join(root, "notes.md"), "nothing for anybody");
  world = await startHttpWorld({
    config: {
      webRoot: root,
      supportEmail: `a&"<b>@synapse.example`,
      archiveDays: 7,
      minPriceDays: 3,
      imageSources: ["https://images.example"],
    },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

const footerPaths = [...companyLinks, ...legalLinks].flatMap(({ path }) => [path, `${path}/`]);
const pages = [
  "/",
  "/synapse",
  "/synapse/articles",
  "/synapse/filtres",
  "/synapse/achats",
  "/synapse/prix",
  "/synapse/articles/",
];

test.each([...pages, ...footerPaths])("%s is a page", async (path) => {
  const answer = await world.anonymous.get(path);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(answer.text).toContain('<div id="root">');
  expect((await world.anonymous.send("HEAD", path)).status).toBe(200);
});

test("the footer's pages, the panel and the page behind an alert have documents of their own", async () => {
  const scriptAt = async (path: string): Promise<string | undefined> =>
    /src="([^"]+)"/.exec((await world.anonymous.get(path)).text)?.[1];
  expect(await scriptAt("/")).toBe("/assets/main-Cx12.js");
  for (const path of footerPaths) expect(await scriptAt(path)).toBe("/assets/legal-Cx12.js");
  for (const path of ["/synapse", "/synapse/articles", "/synapse/filtres"])
    expect(await scriptAt(path)).toBe("/assets/panel-Cx12.js");
  expect(await scriptAt("/alerte")).toBe("/assets/alerte-Cx12.js");
});

test("a page knows for how many days this installation keeps the market's facts, and after how many a price is known", async () => {
  for (const path of ["/confidentialite", "/synapse/filtres"]) {
    const { text } = await world.anonymous.get(path);
    expect(text).toContain('<meta name="archive-days" content="7">');
    expect(text).toContain('<meta name="price-days" content="3">');
  }
});

test("the panel's answer names the photos' host, ahead of its code", async () => {
  const linkAt = async (path: string): Promise<unknown> => (await world.anonymous.get(path)).headers["link"];
  expect(await linkAt("/synapse/articles")).toBe("<https://images.example>; rel=preconnect");
  expect(await linkAt("/")).toBeUndefined();
});

test("there is no other page", () => {
  const known = new Set<string>(["/", "/alerte", "/synapse", "/synapse/*", ...footerPaths]);
  expect(new Set(PAGE_PATHS)).toEqual(known);
});

test("a page carries a fresh nonce each time, in its policy and in its document alike", async () => {
  const nonces = new Set<string>();
  for (let time = 0; time < 5; time += 1) {
    const answer = await world.anonymous.get("/");
    const nonce = /'nonce-([^']+)'/.exec(String(answer.headers["content-security-policy"]))?.[1] ?? "";
    expect(answer.text.split(`nonce="${nonce}"`)).toHaveLength(3);
    expect(answer.text).not.toContain("__CSP_NONCE__");
    expect(answer.headers["cache-control"]).toBe("private, no-cache");
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(5);
});

test("the policy of a page lets in our own scripts, styles with the nonce, chosen pictures and our own socket", async () => {
  const policy = String((await world.anonymous.get("/")).headers["content-security-policy"]);
  expect(policy.replace(/nonce-[^']+/, "nonce-R")).toBe(
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-R'",
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "connect-src 'self' ws://localhost:3000",
      "img-src 'self' data: https://images.example",
      "base-uri 'none'",
      "object-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
  );
});

test("the support's address is written into the page as text", async () => {
  expect((await world.anonymous.get("/")).text).toContain('content="a&amp;&quot;&lt;b&gt;@synapse.example"');
});

test("pages are identical for every person", async () => {
  const person = await world.signIn("thunder");
  const withoutNonce = (text: string): string => text.replaceAll(/nonce="[^"]+"/g, "");
  const [own, anybodys] = [
    await person.get("/synapse/articles"),
    await world.anonymous.get("/synapse/articles"),
  ];
  expect(withoutNonce(own.text)).toBe(withoutNonce(anybodys.text));
  expect(own.cookies).toEqual([]);
});

test("a file with a hash in its name is kept for good, any other is asked for again", async () => {
  const script = await world.anonymous.get("/assets/main-Cx12.js");
  expect([script.status, script.text, script.headers["content-type"]]).toEqual([
    200,
    SCRIPT,
    "text/javascript; charset=utf-8",
  ]);
  expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  const icon = await world.anonymous.get("/favicon.svg");
  expect([icon.headers["cache-control"], icon.headers["content-type"]]).toEqual([
    "public, no-cache",
    "image/svg+xml",
  ]);
  const again = await world.anonymous.get("/favicon.svg", {
    headers: { "if-none-match": String(icon.headers["etag"]) },
  });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("a file is sent as small as the browser can read it", async () => {
  const encoded = async (accept: string) => {
    const answer = await world.app.inject({
      url: "/assets/main-Cx12.js",
      headers: { host: "localhost:3000", "accept-encoding": accept },
    });
    return { encoding: answer.headers["content-encoding"], bytes: answer.rawPayload };
  };
  const brotli = await encoded("gzip, deflate, br");
  expect([brotli.encoding, brotliDecompressSync(brotli.bytes).toString()]).toEqual(["br", SCRIPT]);
  const zipped = await encoded("gzip;q=0.5, br;q=0");
  expect([zipped.encoding, gunzipSync(zipped.bytes).toString()]).toEqual(["gzip", SCRIPT]);
  const plain = await encoded("identity");
  expect([plain.encoding, plain.bytes.toString()]).toEqual([undefined, SCRIPT]);
  expect((await world.anonymous.get("/assets/font-1.woff2")).headers).not.toHaveProperty("content-encoding");
});

test.each([
  "/index.html",
  "/panel.html",
  "/alerte.html",
  "/.env",
  "/.secret/a.json",
  "/assets/main-Cx12.js.map",
  "/assets/",
  "/assets",
  "/assets/../.env",
  "/assets/%2e%2e/.env",
  "/assets/..%2f.env",
  "/..%5c.env",
  "/notes.md",
  "/etc/passwd",
  "/favicon.svg/",
  "/FAVICON.SVG",
  "/assets/main-Cx12.js%00.png",
])("%s cannot be read", async (path) => {
  const answer = await world.anonymous.get(path);
  expect([400, 404]).toContain(answer.status);
  expect(answer.text).not.toContain("MASTER_KEYS");
});

test("a page or a file takes no other method", async () => {
  for (const path of ["/", "/synapse/articles", "/rgpd", "/assets/main-Cx12.js"]) {
    const answer = await world.anonymous.post(path, {});
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  }
});
