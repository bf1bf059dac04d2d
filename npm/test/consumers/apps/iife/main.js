import * as millrace from 'millrace'
import { scenario } from '../scenario.mjs'

scenario(millrace).then(
  (seen) => {
    window.outcome = { seen }
  },
  (error) => {
    window.outcome = { error: String(error?.stack ?? error) }
  },
)
