import { isObject } from './kinds.ts'
import { behind } from './registry.ts'

type Method = (this: unknown, ...args: unknown[]) => unknown

const splice = Array.prototype.splice as Method

/**
 * Methods of arrays that do better than to go through a proxy element by element: by the function they stand for. Those
 * that move elements move them in the copy, without making drafts of them; searching for what is no object needs
 * none either. All other methods work on the proxy, where each element they meet becomes a draft.
 */
export const arrayMethods: ReadonlyMap<unknown, Method> = new Map([
  ...(['push', 'pop', 'shift', 'unshift', 'splice', 'reverse', 'fill', 'copyWithin'] as const).map((name) =>
    standIn(name, mutating),
  ),
  ...(['includes', 'indexOf', 'lastIndexOf'] as const).map((name) => standIn(name, searching)),
])

function standIn(name: keyof unknown[] & string, make: (native: Method) => Method): [unknown, Method] {
  const native = Array.prototype[name as 'push'] as Method
  const method = make(native)
  Object.defineProperty(method, 'name', { value: name })
  Object.defineProperty(method, 'length', { value: native.length })
  return [native, method]
}

/** What is taken out of the array comes as drafts: the application may go on changing it, or put it elsewhere. */
function mutating(native: Method): Method {
  return function (this: unknown, ...args: unknown[]) {
    const node = isObject(this) ? behind(this) : undefined
    if (node === undefined || this !== node.draft) return native.apply(this, args)
    const result = native.apply(node.state, args)
    if (result === node.state) return this
    if (native === splice) {
      return (result as unknown[]).map((item) => (isObject(item) ? node.row.track(item) : item))
    }
    return isObject(result) ? node.row.track(result) : result
  }
}

function searching(native: Method): Method {
  return function (this: unknown, ...args: unknown[]) {
    const node = isObject(this) ? behind(this) : undefined
    if (node === undefined) return native.apply(this, args)
    const wanted = args[0]
    if (!isObject(wanted)) return native.apply(node.state, args)
    return native.apply(this, [node.row.track(wanted), ...args.slice(1)])
  }
}
