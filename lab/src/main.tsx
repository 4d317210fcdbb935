import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { App } from "./app/app";
import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/stage.css";
import "./styles/panels.css";
import "./styles/home.css";

const root = document.getElementById("app");
if (root) render(<App />, root);
