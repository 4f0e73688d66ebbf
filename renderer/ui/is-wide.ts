/** Whether a form may take the focus by itself: on a narrow screen the keyboard would hide what the page says. */
export const isWide = () => window.matchMedia('(width >= 40rem)').matches
