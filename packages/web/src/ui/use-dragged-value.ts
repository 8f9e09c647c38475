import { type PointerEvent, useState } from 'react';

/** The value of a handle while somebody drags it, null otherwise, and the props of the handle. */
export function useDraggedValue() {
  const [dragged, setDragged] = useState<number | null>(null);
  const handle = (valueAt: (event: PointerEvent<HTMLElement>) => number, onDrop: (value: number) => void) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragged(valueAt(event));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => dragged !== null && setDragged(valueAt(event)),
    onPointerUp: () => {
      if (dragged !== null) onDrop(dragged);
      setDragged(null);
    },
    onPointerCancel: () => setDragged(null),
  });
  return { dragged, handle };
}
