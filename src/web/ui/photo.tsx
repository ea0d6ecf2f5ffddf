import { IconPhoto, IconUser } from "@tabler/icons-react";
import { useState } from "react";
import "./photo.css";

interface PhotoProps {
  readonly photo: { readonly url: string; readonly dominant_color?: string | null } | null;
  /** Empty if a title beside it says the same. */
  readonly alt: string;
  /** Visible at the first render, so it is fetched with high priority. */
  readonly isEager?: boolean;
}

/** A listing's 3:4 picture. Its box and dominant colour are rendered before it loads: no layout shift. */
export function Photo({ photo, alt, isEager = false }: PhotoProps) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  const colour = photo?.dominant_color;
  return (
    <div className="photo" style={isHexColour(colour) ? { backgroundColor: colour } : undefined}>
      {photo === null || photo.url === "" || photo.url === brokenUrl ? (
        <span className="photo__none centred">
          <IconPhoto size={28} stroke={1.4} aria-hidden="true" />
          <span className="visually-hidden">Pas de photo</span>
        </span>
      ) : (
        <img
          src={photo.url}
          alt={alt}
          width={300}
          height={400}
          loading={isEager ? "eager" : "lazy"}
          fetchPriority={isEager ? "high" : "auto"}
          decoding="async"
          onError={() => setBrokenUrl(photo.url)}
        />
      )}
    </div>
  );
}

function isHexColour(colour: string | null | undefined): colour is string {
  return typeof colour === "string" && /^#[0-9a-f]{3,8}$/iu.test(colour);
}

interface PersonPictureProps {
  readonly url: string | null | undefined;
  readonly size: number;
}

/** A person's picture or a placeholder; decorative, since a name or a label is always beside or around it. */
export function PersonPicture({ url, size }: PersonPictureProps) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  const hasPicture = url !== null && url !== undefined && url !== "" && url !== brokenUrl;
  return (
    <span className="person-picture centred" style={{ width: size, height: size }}>
      {hasPicture ? (
        <img src={url} alt="" width={size} height={size} loading="lazy" onError={() => setBrokenUrl(url)} />
      ) : (
        <IconUser size={Math.round(size * 0.6)} stroke={1.8} aria-hidden="true" />
      )}
    </span>
  );
}
