/** A browser's `User-Agent` in the few words by which people recognise their devices. Pure. */

/** The first match counts: browsers imitate one another, so the more specific come first. */
const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\bSamsungBrowser\//u, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//u, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//u, "Chrome"],
  [/\bSafari\//u, "Safari"],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\biPhone\b/u, "iPhone"],
  [/\biPad\b/u, "iPad"],
  [/\bAndroid\b/u, "Android"],
  [/\bWindows\b/u, "Windows"],
  [/\bMac OS X\b/u, "macOS"],
  [/\bCrOS\b/u, "ChromeOS"],
  [/\bLinux\b/u, "Linux"],
];

/** "Firefox sur Windows"; "" when neither is recognised. Only these words are stored, never the header. */
export function deviceOf(userAgent: string | undefined): string {
  const sent = userAgent ?? "";
  const browser = BROWSERS.find(([sign]) => sign.test(sent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(sent))?.[1];
  if (browser === undefined) return system ?? "";
  return system === undefined ? browser : `${browser} sur ${system}`;
}
