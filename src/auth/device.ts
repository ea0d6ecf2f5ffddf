/** What a browser calls itself, in the few words by which a person knows their own devices again. Pure. */

/** The first that fits: browsers pretend to be one another, so the more special stand in front. */
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

/** "Firefox sur Windows"; "" for what names neither. Only these words are kept, never what was sent. */
export function deviceOf(userAgent: string | undefined): string {
  const sent = userAgent ?? "";
  const browser = BROWSERS.find(([sign]) => sign.test(sent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(sent))?.[1];
  if (browser === undefined) return system ?? "";
  return system === undefined ? browser : `${browser} sur ${system}`;
}
