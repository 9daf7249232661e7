import { exercise } from './exercise.mjs';

console.log(JSON.stringify(exercise()));
