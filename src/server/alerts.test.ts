import { expect, test } from "vitest";
import { startDiscordReceiver } from "#verify/testing/discord-receiver.ts";
import { startWorld } from "#verify/testing/world.ts";

test("a purchase by a filter is told in its owner's channel, and in nobody else's", async () => {
  await using discord = await startDiscordReceiver();
  await using world = await startWorld({ discordUrl: discord.url });
  const [buyer, other] = [await world.signIn("thunder-annonce"), await world.signIn("thunder-autre")];
  const pathOf = (letter: string): string => `/api/webhooks/123456789012345678/${letter.repeat(64)}`;
  await buyer.call("editAlerts", { discord: `https://discord.com${pathOf("a")}` });
  await other.call("editAlerts", { discord: `https://discord.com${pathOf("b")}` });
  await buyer.call("addFilter", { tag: "Vestes", mots: ["velours"], autobuy: true, limit: 100 });
  await world.sandbox.publish({ title: "Veste en velours", price: 12 });
  await expect.poll(() => discord.received.length, { timeout: 30_000 }).toBe(1);
  expect(discord.received[0]).toMatchObject({
    path: pathOf("a"),
    body: {
      embeds: [
        {
          title: "Achat confirmé",
          description: expect.stringContaining("Veste en velours") as unknown,
          fields: expect.arrayContaining([{ name: "Filtre", value: "Vestes", inline: true }]) as unknown,
          image: { url: expect.stringMatching(/^http/) as unknown },
        },
      ],
    },
  });
  const logged = JSON.stringify(world.logged);
  for (const letter of ["a", "b"]) expect(logged).not.toContain(letter.repeat(64));
});
