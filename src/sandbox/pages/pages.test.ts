import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShop, search, type Shop } from "../shop.suite.ts";
import { frenchAgo, frenchAmount, html } from "./layout.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const HOSTILE = `<img src=x onerror="alert('1')">&`;

describe("the page at an item's path", () => {
  test("shows the details of the listing", async () => {
    const item = await shop.publish({
      title: "Robe d'été",
      price: 20,
      brand_title: "Sézane",
      color: "Navy",
      shipping: 2.5,
    });
    await shop.clock.advance(180_000);
    const page = await shop.send({ path: item.path });
    expect(page.status).toBe(200);
    for (const text of [
      "Robe d&#39;été",
      "Sézane",
      "21,70",
      "Marine",
      "il y a 3 minutes",
      "En vente",
      item.user.login,
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("shows when it is sold, or 404 when unknown", async () => {
    const item = await shop.publish({});
    await shop.control("DELETE", `/listings/${item.id}`);
    expect((await shop.send({ path: item.path })).text).toContain("Vendu");
    expect((await shop.send({ path: "/items/1-rien" })).status).toBe(404);
  });

  test("escapes text written by sellers", async () => {
    const item = await shop.publish({
      title: HOSTILE,
      brand_title: HOSTILE,
      size_title: HOSTILE,
      seller: HOSTILE,
    });
    const pages = [await shop.send({ path: item.path }), await shop.send({ path: "/" })];
    for (const { text } of pages) {
      expect(text).not.toContain("<img src=x");
      expect(text).toContain("&lt;img src=x");
    }
  });
});

test("the pictures of a catalogue page exist and may be cached and embedded", async () => {
  await shop.publish({ catalog_id: 2632, color: "Bred", seller: "vendeuse" });
  const { page } = await search(shop, "catalog_ids=2632");
  const [item] = page.items;
  for (const url of [item?.photo?.url, item?.user.photo?.url]) {
    const picture = await shop.send({ path: new URL(url ?? "").pathname });
    expect(picture.status).toBe(200);
    expect(picture.headers.get("content-type")).toContain("image/svg+xml");
    expect(picture.headers.get("cache-control")).toContain("immutable");
    expect(picture.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(picture.text.startsWith("<svg")).toBe(true);
    expect(picture.headers.get("content-encoding")).toBe("gzip");
    const plain = await shop.send({
      path: new URL(url ?? "").pathname,
      headers: { "accept-encoding": "identity" },
    });
    expect([plain.headers.get("content-encoding"), plain.text]).toEqual([null, picture.text]);
  }
});

test("unknown paths are not found", async () => {
  for (const path of [
    "/photos/1.svg",
    "/photos/x-221.svg",
    "/photos/1-221-1-1-1-1-1.svg",
    "/avatars/x.svg",
    "/nothing",
  ]) {
    expect((await shop.send({ path })).status, path).toBe(404);
  }
  expect((await shop.send({ method: "POST", path: "/" })).status).toBe(404);
});

test("/favicon.ico is an icon", async () => {
  const icon = await shop.send({ path: "/favicon.ico" });
  expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
});

test("the front page shows the newest listings", async () => {
  const item = await shop.publish({ title: "Tout nouveau" });
  const page = await shop.send({ path: "/" });
  expect(page.text).toContain(item.path);
});

describe("markup", () => {
  test("escapes values, keeps markup and joins lists", () => {
    const row = html`<td>${HOSTILE}</td>`;
    const table = html`<table>
      ${[row, html`<td>${2}</td>`]}
    </table>`;
    expect(table.text.replaceAll(/\s*\n\s*/g, "")).toBe(
      "<table><td>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</td><td>2</td></table>",
    );
  });
});

test("amounts and dates are in French format", () => {
  expect(frenchAmount(123_456)).toMatch(/^1\s234,56\s€$/);
  const NOW_MS = 10_000_000;
  expect(frenchAgo(NOW_MS - 5_000, NOW_MS)).toBe("il y a 5 secondes");
  expect(frenchAgo(NOW_MS - 240_000, NOW_MS)).toBe("il y a 4 minutes");
  expect(frenchAgo(NOW_MS - 7_200_000, NOW_MS)).toBe("il y a 2 heures");
});
