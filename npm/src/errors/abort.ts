/** What a promise rejects with when what it waited for has been given up, as platform APIs do. */
export function abortError(message: string): Error {
  const error = new Error(message)
  error.name = 'AbortError'
  return error
}
