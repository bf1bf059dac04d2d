/** Search field with a list of airports, after the ARIA combobox pattern. */
import { placeName } from './words.mjs'

const SHOWN = 8

/**
 * @param {{input: HTMLInputElement, list: HTMLElement, root: HTMLElement}} elements
 * @param {{search: (text: string, limit: number) => import('./data.mjs').Airport[],
 *   choose: (code: string) => void, current: () => string}} actions `current` is what the field says when idle
 */
export function connectPicker({ input, list, root }, { search, choose, current }) {
  let found = []
  let active = -1

  const open = () => {
    found = search(input.value, SHOWN)
    list.replaceChildren(...(found.length > 0 ? found.map(option) : [nothing(input.value)]))
    list.hidden = false
    input.ariaExpanded = 'true'
    activate(found.length > 0 && input.value !== '' ? 0 : -1)
  }
  const close = () => {
    list.hidden = true
    input.ariaExpanded = 'false'
    input.removeAttribute('aria-activedescendant')
    active = -1
  }
  const activate = (index) => {
    list.children[active]?.setAttribute('aria-selected', 'false')
    active = index
    const element = index < 0 ? undefined : list.children[index]
    if (element === undefined) return void input.removeAttribute('aria-activedescendant')
    element.setAttribute('aria-selected', 'true')
    element.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', element.id)
  }
  const take = (index) => {
    const airport = found[index]
    if (airport === undefined) return
    close()
    choose(airport.iata)
    input.value = current()
    input.select()
  }
  const move = (by) => {
    if (list.hidden) return open()
    const from = active < 0 && by < 0 ? 0 : active
    if (found.length > 0) activate((from + by + found.length) % found.length)
  }
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => take(Math.max(active, 0)),
    Escape: () => {
      close()
      input.value = current()
      input.select()
    },
  }

  input.addEventListener('focus', () => {
    input.value = ''
    open()
  })
  input.addEventListener('click', () => list.hidden && open())
  input.addEventListener('input', open)
  input.addEventListener('keydown', (event) => {
    const act = keys[event.key]
    if (act === undefined || event.isComposing) return
    event.preventDefault()
    act()
  })
  root.addEventListener('focusout', (event) => {
    if (root.contains(event.relatedTarget)) return
    close()
    input.value = current()
  })
  // Pressing the mouse on an option must not move the focus, or the list would close under the pointer.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const index = Array.from(list.children).findIndex((element) => element.contains(event.target))
    take(index)
  })
}

function option(airport, index) {
  const element = document.createElement('div')
  element.id = `airport-${index}`
  element.setAttribute('role', 'option')
  element.setAttribute('aria-selected', 'false')
  const parts = [
    ['iata', airport.iata],
    ['name', airport.name],
    ['place', placeName(airport)],
    ['count', airport.departures.toLocaleString('en-US')],
  ].map(([className, text]) => {
    const part = document.createElement('span')
    part.className = className
    part.textContent = text
    return part
  })
  parts[3].title = 'departures in the file'
  element.append(...parts)
  return element
}

function nothing(text) {
  const element = document.createElement('div')
  element.className = 'nothing'
  element.textContent = `No airport matches “${text}”`
  return element
}
