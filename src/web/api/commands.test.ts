import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import "./panel-answers.ts";
import { asFiltreEdit, changeFiltre, editSettings, WIDER_BUYS_TEXT, widenFiltre } from "./commands.ts";
import { createQueryClient } from "./query-client.ts";
import { queries } from "./queries.ts";

const filtre = aFiltre({
  private: true,
  types: { ids: [1037], names: ["Manteaux et vestes"] },
  brands: { ids: [53], names: ["Nike"] },
  status: { ids: [6], names: ["Neuf avec étiquette"] },
  color: "Gray",
  paiement: 11,
  info: "cadeau",
  mots: ["vintage"],
  max_achats: 3,
  simulation: true,
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a toggle sends the whole filter, ids and names, with only its flag flipped", () => {
  expect(asFiltreEdit(filtre, { active: false })).toEqual({ ...filtre, active: false });
});

test("changes of one filter wait for each other, so that none sends the other's old values", async () => {
  let saved = { ...filtre, active: false, autobuy: true };
  const sent: Filtre[] = [];
  vi.stubGlobal("fetch", async (_address: string, { method, body }: { method: string; body: string }) => {
    const read = saved;
    await setTimeout(5);
    if (method === "GET") return Response.json({ success: true, filtres: [read] });
    saved = { ...saved, ...(JSON.parse(body) as Filtre) };
    sent.push(saved);
    return Response.json({ success: true, message: "", filtre: saved });
  });
  const client = createQueryClient();
  await Promise.all([
    changeFiltre(client, saved, { active: true }),
    changeFiltre(client, saved, { autobuy: false }),
  ]);
  expect(sent).toMatchObject([
    { active: true, autobuy: true },
    { active: true, autobuy: false },
  ]);
});

test("a filter is not widened once another device lets it buy", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (_address: string, { method, body }: { method: string; body: string }) => {
    if (method === "GET")
      return Promise.resolve(Response.json({ success: true, filtres: [{ ...filtre, autobuy: true }] }));
    sent.push(body);
    return Promise.resolve(Response.json({ success: true, message: "", filtre }));
  });
  const widened = widenFiltre(createQueryClient(), { ...filtre, autobuy: false }, { limit: 200 });
  await expect(widened).rejects.toThrow(WIDER_BUYS_TEXT);
  expect(sent).toEqual([]);
});

test.each([
  ["with the settings read shortly before", 90_000],
  ["alone on a page that slept, where they may have changed elsewhere", 3_600_000],
])("a stop whose settings cannot be read again is sent after a second %s", async (_how, ageMs) => {
  vi.useFakeTimers();
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_address: string, { method, body }: { method: string; body: string }) => {
    if (method === "GET") return await new Promise(() => undefined);
    sent.push(JSON.parse(body));
    return Response.json({ success: true, message: "" });
  });
  const client = createQueryClient();
  const account = {
    token: "",
    paiement: 11,
    adresse: { rue: "1 rue", ville: "Lyon", code_postal: 69_001, pays: "France" },
    relais: ["Tabac"],
  } as const;
  const saved = { ...account, relais: [...account.relais], limites: null, mandat: null };
  const updatedAt = Date.now() - ageMs;
  client.setQueryData(
    queries.settings.queryKey,
    { ...saved, etat: "connecte", adresse_complete: true },
    { updatedAt },
  );
  void editSettings(client, { limites: { arret: true } });
  await vi.advanceTimersByTimeAsync(900);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent).toEqual([{ ...(ageMs < 120_000 ? account : {}), limites: { arret: true } }]);
});
