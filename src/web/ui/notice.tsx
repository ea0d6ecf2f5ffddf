import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import "./notice.css";

interface NoticeProps {
  readonly tone: "neutral" | "warning" | "bad";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A remark in the flow of a page or a form; nothing jumps up. */
export function Notice({ tone, children, action }: NoticeProps) {
  const Icon = tone === "neutral" ? IconInfoCircle : IconAlertTriangle;
  return (
    <div className="notice" data-tone={tone}>
      <Icon size={18} stroke={1.8} aria-hidden="true" />
      <div className="notice__text">{children}</div>
      {action}
    </div>
  );
}
