import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { vendeurBloque } from "#contract/vendeur.ts";
import type { UserId } from "#domain/ids.ts";
import type { Seller } from "#domain/market/listing.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { recordMatches } from "#verify/testing/a-match.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const list = z.strictObject({ success: z.literal(true), vendeurs: z.array(vendeurBloque) });
const changed = z.strictObject({ ...list.shape, message: z.string() });
const items = z.object({ items: z.array(z.object({ id: z.number(), user: z.object({ id: z.number() }) })) });

const seller = (id: number, login: string): Seller => ({ id, login, photoUrl: null });

async function record(userId: UserId, sellers: readonly Seller[], firstId: number): Promise<void> {
  const listings = sellers.map((one, index) => aListing({ id: firstId + index, seller: one }));
  await recordMatches(world.store, userId, world.clock.nowMs(), listings);
}

test("sellers are blocked, listed newest first and unblocked, each person's own", async () => {
  const [person, other] = [await world.signIn("seeker"), await world.signIn("seeker")];
  expect((await person.get("/vendeurs/bloques")).body).toEqual({ success: true, vendeurs: [] });
  const depuis = world.clock.nowMs();
  const one = await person.post("/vendeurs/bloquer", { vendeurs: [{ login: " lea75 ", id: 7 }] });
  expect([one.status, one.body]).toEqual([
    200,
    {
      success: true,
      message: "lea75 est bloqué : ni montré, ni acheté.",
      vendeurs: [{ id: 7, login: "lea75", depuis }],
    },
  ]);
  await world.clock.advance(1);
  const two = await person.post("/vendeurs/bloquer", {
    vendeurs: [{ login: "LEA75", id: 7 }, { login: "tom" }, { login: "Tom" }],
  });
  expect(changed.parse(two.body)).toMatchObject({
    message: "2 vendeurs sont bloqués : ni montrés, ni achetés.",
    vendeurs: [
      { id: null, login: "tom" },
      { id: 7, depuis },
    ],
  });
  expect(list.parse((await person.get("/vendeurs/bloques")).body).vendeurs).toHaveLength(2);
  expect(list.parse((await other.get("/vendeurs/bloques")).body).vendeurs).toEqual([]);
  const less = await person.post("/vendeurs/debloquer", { login: "lea75" });
  expect(changed.parse(less.body)).toMatchObject({
    message: "lea75 n'est plus bloqué.",
    vendeurs: [{ login: "tom" }],
  });
  expect((await person.post("/vendeurs/debloquer", { login: "nobody" })).status).toBe(200);
  expect(world.events.filter(({ kind }) => kind === "sellers_changed")).toHaveLength(4);
});

test("bad names are refused, and two thousand sellers are the most", async () => {
  const person = await world.signIn("seeker");
  const names = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ login: `v${from + index}` }));
  for (const vendeurs of [
    [],
    names(301),
    [{ login: " " }],
    [{ login: "a".repeat(101) }],
    [{ login: "a", id: 0 }],
  ])
    expect((await person.post("/vendeurs/bloquer", { vendeurs })).status).toBe(400);
  expect((await person.post("/vendeurs/debloquer", {})).status).toBe(400);
  const at = { nowMs: world.clock.nowMs(), limit: 2_000 };
  const many = names(1_999).map(({ login }) => ({ login, sellerId: null }));
  await world.store.sellers.block(person.user.id, many, at);
  const beyond = await person.post("/vendeurs/bloquer", { vendeurs: names(2, 1_999) });
  expect([beyond.status, beyond.body]).toEqual([
    409,
    { error: "Vous avez déjà bloqué 2 000 vendeurs, le maximum : débloquez-en d'abord." },
  ]);
  expect((await person.post("/vendeurs/bloquer", { vendeurs: names(1, 1_999) })).status).toBe(200);
  expect((await person.post("/vendeurs/bloquer", { vendeurs: names(300) })).status).toBe(200);
});

test("as many sellers as a call takes may have the longest names", async () => {
  const person = await world.signIn("seeker");
  const long = "é".repeat(97);
  const vendeurs = Array.from({ length: 300 }, (_, n) => ({ login: `${long}${100 + n}`, id: 1_000_000 + n }));
  const answer = await person.post("/vendeurs/bloquer", { vendeurs });
  expect(answer.status).toBe(200);
  expect(changed.parse(answer.body).vendeurs).toHaveLength(300);
  // Some clients escape whatever is not ASCII.
  const login = "\\u20ac".repeat(100);
  const longest = Array.from({ length: 300 }, () => `{"login":"${login}","id":${Number.MAX_SAFE_INTEGER}}`);
  expect((await person.post("/vendeurs/bloquer", `{"vendeurs":[${longest.join(",")}]}`)).status).toBe(200);
  const padded = await person.post("/vendeurs/bloquer", `{"vendeurs":[]}${" ".repeat(256 * 1_024)}`);
  const error = "La demande est trop volumineuse (256 Ko au plus).";
  expect([padded.status, padded.body]).toEqual([413, { error }]);
});

test("recent matches and the market leave out blocked sellers, and others take their places", async () => {
  const person = await world.signIn("seeker");
  const [lea, tom] = [seller(7, "lea75"), seller(8, "tom")];
  await record(person.user.id, [tom, tom, lea, lea, lea], 9_000);
  const shown = async (path: string) => items.parse((await person.get(path)).body).items;
  expect((await shown("/articles/recent?limit=3")).map(({ user }) => user.id)).toEqual([7, 7, 7]);
  await person.post("/vendeurs/bloquer", { vendeurs: [{ login: "lea75", id: 7 }] });
  expect((await shown("/articles/recent?limit=3")).map(({ id }) => id)).toEqual([9_001, 9_000]);
  expect((await shown("/articles/marche")).map(({ user }) => user.id)).not.toContain(7);
  await person.post("/vendeurs/debloquer", { login: "lea75" });
  expect(await shown("/articles/recent?limit=3")).toHaveLength(3);
});
