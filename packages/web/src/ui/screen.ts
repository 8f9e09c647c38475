/** Phones: one column, no room for a navigation beside the page. For `useMediaQuery`. */
export const PHONE = '(max-width: 600px)';
