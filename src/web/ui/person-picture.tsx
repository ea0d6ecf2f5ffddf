import { IconUser } from "@tabler/icons-react";
import { useState } from "react";
import "./person-picture.css";

interface PersonPictureProps {
  readonly url: string | null | undefined;
  readonly size: number;
}

/** Somebody's picture, or a placeholder where there is none; the name always stands beside it. */
export function PersonPicture({ url, size }: PersonPictureProps) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  const hasPicture = url !== null && url !== undefined && url !== "" && url !== brokenUrl;
  return (
    <span className="person-picture" style={{ width: size, height: size }}>
      {hasPicture ? (
        <img src={url} alt="" width={size} height={size} loading="lazy" onError={() => setBrokenUrl(url)} />
      ) : (
        <IconUser size={Math.round(size * 0.6)} stroke={1.8} aria-hidden="true" />
      )}
    </span>
  );
}
