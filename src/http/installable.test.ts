import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";
import { pagePolicy } from "./plugins/security-headers.ts";

const WEB = join(import.meta.dirname, "..", "web");

const manifest = z.object({
  name: z.string().min(1),
  lang: z.literal("fr"),
  start_url: z.literal("/synapse/articles"),
  display: z.literal("standalone"),
  theme_color: z.string(),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), type: z.string(), purpose: z.string() })),
});

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld({ config: { webRoot: join(WEB, "public") } });
});
afterAll(() => world[Symbol.asyncDispose]());

test("what makes the product installable is served: a manifest, and icons of the sizes that it names", async () => {
  const answer = await world.anonymous.get("/manifest.webmanifest");
  expect(answer.headers["content-type"]).toBe("application/manifest+json; charset=utf-8");
  const { icons } = manifest.parse(JSON.parse(answer.text));
  for (const purpose of ["any", "maskable"])
    expect(icons.some((icon) => icon.purpose === purpose && icon.sizes === "512x512")).toBe(true);
  expect(icons.some((icon) => icon.sizes === "192x192" && icon.type === "image/png")).toBe(true);
  for (const { src, sizes, type } of icons) {
    const icon = await world.anonymous.get(src);
    expect([src, icon.status, icon.headers["content-type"]]).toEqual([src, 200, type]);
    if (type !== "image/png") continue;
    const bytes = await readFile(join(WEB, "public", src));
    expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes]);
  }
});

test("every document names the manifest, and its policy lets the browser read it", async () => {
  // The build writes it into each of them.
  expect(await readFile(join(WEB, "head.html"), "utf8")).toContain(
    'rel="manifest" href="/manifest.webmanifest"',
  );
  for (const name of ["index.html", "legal.html", "panel.html", "alerte.html"])
    expect(await readFile(join(WEB, name), "utf8")).toContain("<!-- head.html -->");
  const policy = pagePolicy({ imageSources: [], publicUrl: "https://synapse.example" }, "nonce");
  expect(policy).toContain("manifest-src 'self'");
});
