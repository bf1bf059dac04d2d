/** How dates, delays and places are written, alike on the page and in the terminal. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', timeZone: 'UTC' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** "31 Mar" */
export const formatDay = (milliseconds) => DAY.format(milliseconds)

/** "22:27" */
export const formatClock = (milliseconds) => CLOCK.format(milliseconds)

/** "+66 min", "−5 min", "on time" */
export function formatDelay(minutes) {
  if (minutes === 0) return 'on time'
  return `${minutes > 0 ? '+' : '−'}${Math.abs(minutes)} min`
}

/** "Dallas-Fort Worth, TX"; the country where there is no state. @param {import('./data.mjs').Airport} airport */
export function placeName({ city, state, country }) {
  return [city, state === '' ? country : state].filter((part) => part !== '').join(', ')
}
