import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useId, useRef, type FocusEvent, type ReactNode, type ToggleEvent } from "react";
import "./action-menu.css";

interface Action {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onSelect: () => void;
}

interface ActionMenuProps {
  readonly label: string;
  /** Id of the element that the actions apply to. */
  readonly describedBy?: string;
  readonly actions: readonly Action[];
}

const GAP_PX = 4;
const EDGE_PX = 8;

/** Overflow menu: a popover below its button, or a bottom sheet on a phone (action-menu.css). */
export function ActionMenu({ label, describedBy, actions }: ActionMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const place = ({ newState, currentTarget }: ToggleEvent<HTMLDivElement>): void => {
    if (newState !== "open" || button.current === null) return;
    placeBelow(currentTarget, button.current);
    // The popover is fixed to the viewport, so scrolling would separate it from its button.
    window.addEventListener("scroll", () => currentTarget.hidePopover(), { once: true });
  };
  const leave = ({ relatedTarget: next }: FocusEvent): void => {
    if (next !== null && next !== button.current && !list.current?.contains(next))
      list.current?.hidePopover();
  };
  return (
    <>
      <ActionIcon
        ref={button}
        aria-label={label}
        aria-describedby={describedBy}
        popoverTarget={id}
        onBlur={leave}
      >
        <IconDots size={19} stroke={1.7} />
      </ActionIcon>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="action-menu"
        role="group"
        aria-label={label}
        onToggle={place}
        onBlur={leave}
      >
        {actions.map(({ label: text, icon, onSelect }) => (
          <button
            key={text}
            type="button"
            className="line"
            onClick={() => {
              list.current?.hidePopover();
              onSelect();
            }}
          >
            {icon}
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

/** Keeps the popover within the viewport; the bottom sheet of a phone ignores the position. */
function placeBelow(list: HTMLElement, button: HTMLElement): void {
  const { bottom, top, right } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const hasRoomBelow = bottom + GAP_PX + height <= window.innerHeight - EDGE_PX;
  list.style.setProperty("--menu-top", `${hasRoomBelow ? bottom + GAP_PX : top - GAP_PX - height}px`);
  list.style.setProperty("--menu-left", `${Math.max(EDGE_PX, right - width)}px`);
}
