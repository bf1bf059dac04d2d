/**
 * The engines, each behind the same small contract.
 *
 * open() -> engine
 *   name
 *   remarks        { workloadName: text } what a reader must know about this engine's form of a workload
 *   cannot         { workloadName: reason } workloads the engine cannot express
 *   load(dataset)  -> db; synchronous, everything is queryable on return
 *   apply(state, delivery)  replays one delivery to a subscriber on a Map of rows by id
 *
 * db
 *   mount(view, purpose)   -> handle; purpose 'read' (hydrate only) or 'watch' (changes follow)
 *   mountAll(views)        -> handles (optional; for engines that build a graph once)
 *   insert(row) remove(row) update(previous, next)   on issues, delivered to subscribers before they return
 *   close()
 *
 * handle
 *   rows()                 the view's rows as an array, in its order
 *   subscribe(onDelivery)  the first delivery, made at once, holds the present content
 *   close()                may return a promise
 */
export const ENGINES = ['millrace', 'tanstack', 'zql', 'd2ts', 'js']

/** Loads the adapter of that name; the engine itself is imported by its open(). */
export async function openEngine(name) {
  if (!ENGINES.includes(name)) throw new Error(`bench: no engine ${name}; there are ${ENGINES.join(', ')}`)
  const adapter = await import(`./${name}.mjs`)
  return adapter.open()
}
