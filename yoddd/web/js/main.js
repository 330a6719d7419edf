// Where the page starts.
import { App } from './app.js';
import { wireDialogs } from './dialogs.js';

export const app = new App();
app.start();
wireDialogs(app);
