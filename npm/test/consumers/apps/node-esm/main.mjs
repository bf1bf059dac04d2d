import * as millrace from 'millrace'
import { scenario } from '../scenario.mjs'

console.log(JSON.stringify(await scenario(millrace)))
