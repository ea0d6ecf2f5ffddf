import { createECDH, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDiscordReceiver, type DiscordReceiver } from "#verify/testing/discord-receiver.ts";
import { startHttpWorld, type Client, type HttpWorld } from "./http-world.suite.ts";

const ADDRESS = `https://discord.com/api/webhooks/123456789012345678/${"w".repeat(60)}wxyz`;

let world: HttpWorld;
let discord: DiscordReceiver;

beforeAll(async () => {
  discord = await startDiscordReceiver();
  world = await startHttpWorld({ discordUrl: discord.url });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await discord[Symbol.asyncDispose]();
});

test("a webhook is saved, read back as a mask by its owner alone, tried and taken away", async () => {
  const [person, other] = [await world.signIn("thunder"), await world.signIn("seeker")];
  const saved = async (one: typeof person) => (await one.get("/vinted/alertes")).body;
  expect(await saved(person)).toEqual({ alertes: { discord: "" } });
  expect((await person.post("/vinted/alertes/essai")).status).toBe(409);

  const answer = await person.post("/vinted/alertes", { discord: ` ${ADDRESS} ` });
  expect([answer.status, answer.body]).toEqual([200, { message: "Alertes Discord enregistrées." }]);
  expect(await saved(person)).toEqual({ alertes: { discord: "••••••••wxyz" } });
  expect(await saved(other)).toEqual({ alertes: { discord: "" } });
  expect((await person.post("/vinted/alertes/essai")).status).toBe(200);
  expect(discord.received).toHaveLength(1);
  expect(`https://discord.com${discord.received[0]?.path ?? ""}`).toBe(ADDRESS);

  discord.answerNext(404);
  expect((await person.post("/vinted/alertes/essai")).body).toMatchObject({
    error: expect.stringContaining("ne connaît plus ce webhook") as unknown,
  });
  discord.answerNext(500);
  expect((await person.post("/vinted/alertes/essai")).status).toBe(503);
  discord.answerNext(429, { "retry-after": "30" });
  // The second one is not even sent: Discord is asked nothing before the moment that it named.
  for (const requests of [4, 4]) {
    const tooMany = await person.post("/vinted/alertes/essai");
    expect([tooMany.status, tooMany.headers["retry-after"]]).toEqual([429, "30"]);
    expect(discord.received).toHaveLength(requests);
  }

  await person.post("/vinted/alertes", { discord: null });
  expect(await saved(person)).toEqual({ alertes: { discord: "" } });
  expect(JSON.stringify(world.log)).not.toContain("wxyz");
});

test("any other address is refused at its field, and nothing of it is repeated or saved", async () => {
  const person = await world.signIn("seeker");
  for (const discordUrl of ["", "http://127.0.0.1/admin", ADDRESS.replace("discord.com", "evil.example")]) {
    const answer = await person.post("/vinted/alertes", { discord: discordUrl });
    expect([answer.status, answer.body]).toMatchObject([400, { champ: "discord" }]);
    expect(answer.text).not.toContain("evil");
  }
  expect((await person.post("/vinted/alertes", {})).status).toBe(400);
  expect((await person.get("/vinted/alertes")).body).toEqual({ alertes: { discord: "" } });
});

test("a renewal moves the person's device to this session; one of an unknown or foreign endpoint adds nothing", async () => {
  const [person, other] = [await world.signIn("thunder"), await world.signIn("seeker")];
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  const keys = { p256dh, auth: randomBytes(16).toString("base64url") };
  const abonnement = { endpoint: `${world.sandboxUrl}/push/renewed`, keys };
  const renew = async (one: Client) =>
    (await one.post("/alertes/appareils", { abonnement, renouvelle: true })).status;
  const canaux = async (one: Client) => (await one.get("/alertes")).body;
  const none = { alertes: { canaux: [] } };

  expect(await renew(person)).toBe(404);
  expect(await canaux(person)).toMatchObject(none);
  expect((await person.post("/alertes/appareils", { abonnement })).status).toBe(200);
  expect(await renew(other)).toBe(404);
  expect(await canaux(other)).toMatchObject(none);
  expect(await canaux(person)).toMatchObject({ alertes: { canaux: [{ ici: true }] } });

  const later = world.clientWith((await world.signInAs(person.user.login)).cookies.join("; "));
  expect(await canaux(later)).toMatchObject({ alertes: { canaux: [{ ici: false }] } });
  expect(await renew(later)).toBe(200);
  expect(await canaux(later)).toMatchObject({ alertes: { canaux: [{ ici: true }] } });
});
