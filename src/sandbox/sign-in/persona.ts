import { hashOf } from "../world/draws.ts";

/** Anybody who signs in: any NAME exists. */
export const PERSONA_NAME = /^[a-z0-9-]{1,64}$/;

/** A profile in Discord's shape; the same NAME is always the same person. */
export function profileOf(name: string, publicUrl: string): object {
  return {
    id: `${10 ** 8 + (hashOf(name) % 9e8)}${String(hashOf(`${name} again`)).padStart(10, "0")}`,
    username: name,
    global_name: displayNameOf(name),
    email: `${name}@personnes.example`,
    verified: true,
    avatar: `${publicUrl}/avatars/${hashOf(name)}.svg`,
  };
}

/** "thunder-lea" reads as "Thunder Lea". */
function displayNameOf(name: string): string {
  const words = name.split("-").filter((word) => word !== "");
  if (words.length === 0) return name;
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
