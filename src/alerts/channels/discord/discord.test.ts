import { expect, test } from "vitest";
import { readDiscordWebhook } from "./discord.ts";

const PATH = `123456789012345678/${"aB3_-".repeat(13)}`;
const ADDRESS = `https://discord.com/api/webhooks/${PATH}`;

test("a Discord webhook is read as its id and key", () => {
  expect(readDiscordWebhook(ADDRESS, [])?.reveal()).toBe(PATH);
});

test.each([
  "",
  PATH,
  ADDRESS.replace("https", "http"),
  ADDRESS.replace("discord.com", "discord.com.evil.example"),
  ADDRESS.replace("discord.com", "evil.example"),
  ADDRESS.replace("discord.com", "discord.com@evil.example"),
  ADDRESS.replace("discord.com", "user:pass@discord.com"),
  ADDRESS.replace("discord.com", "discord.com:8443"),
  ADDRESS.replace("discord.com", "canary.discord.com"),
  ADDRESS.replace("discord.com", "127.0.0.1"),
  ADDRESS.replace("/api/", "/api/../api/"),
  `${ADDRESS}/slack`,
  `${ADDRESS}?wait=true`,
  `${ADDRESS}#x`,
  `${ADDRESS}\n`,
  ` ${ADDRESS}`,
  ADDRESS.replace("/api/webhooks", "/api/v10/webhooks"),
  ADDRESS.replace("1234", "١٢٣٤"),
  `https://discord.com/api/webhooks/123456789012345678/${"a".repeat(39)}`,
])("any other address is rejected: %j", (text) => {
  expect(readDiscordWebhook(text, [])).toBeNull();
});
